import ControllerCore
import FleetProtocol
import Stepping

/// One life of the controller's process: its machine, and what it has decided and not yet carried out.
///
/// A class: a step changes it where it stands, and a machine is far too large to be moved out and in.
final class Life {
    let epoch: Epoch
    var controller: Controller
    var keeper: Keeper<DiskMedium>
    /// What its journal left to be read later.
    let unread: UnreadSegments
    var effects = Controller.Effects()
    /// It neither hears nor speaks until then, and nothing is lost by that.
    var frozenUntil = MonotonicTime.zero
    /// When its next turn is set for.
    var wakesAt = MonotonicTime.never
    /// When the keeper wants to try again; nil unless its disk is full.
    private var retryAt: MonotonicTime?
    /// How far its wall clock is from the true time.
    var clockError: Duration

    init(
        epoch: Epoch, controller: Controller, keeper: Keeper<DiskMedium>, unread: UnreadSegments,
        clockError: Duration
    ) {
        (self.epoch, self.controller, self.keeper) = (epoch, controller, keeper)
        self.unread = unread
        self.clockError = clockError
    }

    /// When its machine or its keeper wants the next turn.
    var nextDue: MonotonicTime {
        min(inPlace(&controller) { $0.nextDue } ?? .never, retryAt ?? .never)
    }

    /// Whether there is something to keep or to let out.
    var hasWork: Bool { !effects.isEmpty || retryAt != nil }

    /// Has the keeper keep what was decided.
    func keep(
        _ decided: inout Controller.Effects, at now: Moment
    ) throws(StorageError) -> Keeper<DiskMedium>.Event? {
        defer { retryAt = inPlace(&keeper) { $0.retryAt } }
        return try keeper.keep(&decided, open: { controller.openEntries }, at: now)
    }
}
