import ControllerCore
import FleetProtocol
import Stepping

/// One life of the controller's process: its machine, and what it has decided and not yet carried out.
struct Life {
    let epoch: Epoch
    var controller: Controller
    var keeper: Keeper<DiskMedium>
    /// What its journal left to be read later.
    let unread: UnreadSegments
    var effects: [Controller.Effect] = []
    /// It neither hears nor speaks until then, and nothing is lost by that.
    var frozenUntil = MonotonicTime.zero
    /// When its next turn is set for.
    var wakesAt = MonotonicTime.never
    /// How far its wall clock is from the true time.
    var clockError: Duration = .zero
}
