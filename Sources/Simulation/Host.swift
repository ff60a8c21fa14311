import ControllerCore
import DeviceCore
import FleetProtocol
import Stepping

/// The process that a node runs in, and its cables.
struct Host {
    let configuration: NodeConfiguration
    /// Nil while the process is dead.
    var node: Node?
    var connection: ConnectionID
    /// It neither hears nor speaks until then, and nothing is lost by that.
    var frozenUntil = MonotonicTime.zero
    /// What leaves it, or is on its way to it, is lost until then.
    var mutedUntil = MonotonicTime.zero
    var deafenedUntil = MonotonicTime.zero
    /// When its next turn is set for.
    var wakesAt = MonotonicTime.never
}
