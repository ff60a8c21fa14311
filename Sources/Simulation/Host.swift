import ControllerCore
import DeviceCore
import FleetProtocol
import Stepping

/// The process that a node runs in, and its cables.
final class Host {
    /// Devices of each host.
    static let devices = 2

    let configuration: NodeConfiguration
    /// Nil while the process is dead.
    var node: Node?
    /// Whether the process lives: asked often, and to look at the node would be to copy it.
    private(set) var isAlive = false
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

    /// The process starts.
    func begin(_ node: Node) {
        self.node = node
        isAlive = true
        boots += 1
        life = nil
        (frozenUntil, wakesAt, diesWritingUntil) = (.zero, .never, nil)
    }

    /// The process is dead.
    func die() {
        node = nil
        isAlive = false
    }
}
