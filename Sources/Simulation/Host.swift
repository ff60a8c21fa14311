import ControllerCore
import DeviceCore
import FleetProtocol
import Stepping

/// The process that a node runs in, and its cables.
final class Host {
    let configuration: NodeConfiguration
    /// Nil while the process is dead.
    var node: Node?
    /// How often the process has started.
    var boots = 0
    var connection: ConnectionID
    /// The life of the controller that its connection leads to; nil while it has none.
    var life: Int?
    /// The file of its devices' memory, which outlives the process.
    var file = MemoryWriter.header
    /// It dies while it writes the next batch to that file, and starts again then; nil: it does not.
    var diesWritingUntil: MonotonicTime?
    /// It neither hears nor speaks until then, and nothing is lost by that.
    var frozenUntil = MonotonicTime.zero
    var cable = Cable()
    /// When its next turn is set for.
    var wakesAt = MonotonicTime.never

    init(configuration: NodeConfiguration, connection: ConnectionID) {
        (self.configuration, self.connection) = (configuration, connection)
    }
}
