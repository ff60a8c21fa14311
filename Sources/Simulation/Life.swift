import ControllerCore
import FleetProtocol
import FleetTime

/// One life of the controller's process: its machine, and what it has decided and not yet carried out.
struct Life {
    /// Which of its lives it is, from 1.
    let number: Int
    let epoch: Epoch
    private(set) var controller: Controller
    private var writer: StorageWriter<DiskMedium>
    /// What its journal left to be read later.
    let unread: UnreadSegments
    private(set) var effects = Controller.Effects()
    /// Has room for effects, and has none.
    private var spare = Controller.Effects()
    /// It neither hears nor speaks until then, and nothing is lost by that.
    var frozenUntil = MonotonicTime.zero
    /// When its next turn is set for.
    var wakesAt = MonotonicTime.never
    /// When the writer wants to try again; nil unless its disk is full.
    private var retryAt: MonotonicTime?
    /// How far its wall clock is from the true time.
    var clockError: Duration

    init(
        _ number: Int, epoch: Epoch, controller: Controller, writer: consuming StorageWriter<DiskMedium>,
        unread: UnreadSegments, clockError: Duration
    ) {
        (self.number, self.epoch, self.controller) = (number, epoch, controller)
        self.writer = writer
        self.unread = unread
        self.clockError = clockError
    }

    /// When its machine or its writer wants the next turn.
    var nextDue: MonotonicTime { min(controller.nextDue ?? .never, retryAt ?? .never) }

    /// Whether there is something to keep or to let out.
    var hasWork: Bool { !effects.isEmpty || retryAt != nil }

    /// Has its machine take an input.
    mutating func step(_ input: Controller.Input, at now: Moment) {
        controller.step(input, at: now.astray(by: clockError), into: &effects)
    }

    /// Gives away what was decided.
    mutating func takeEffects() -> Controller.Effects {
        var taken = Controller.Effects()
        swap(&taken, &effects)
        swap(&effects, &spare)
        return taken
    }

    /// Takes back what was carried out: the next have its room.
    mutating func giveBack(_ done: inout Controller.Effects) {
        done.removeAll()
        swap(&spare, &done)
    }

    /// Has the writer keep what was decided, and tells the machine; says whether the disk is full.
    mutating func keep(_ decided: inout Controller.Effects, at now: Moment) throws(StorageError) -> Bool {
        let now = now.astray(by: clockError)
        defer { retryAt = writer.retryAt }
        let event = try writer.write(&decided, open: { controller.openEntries }, at: now)
        var isFull = false
        switch event {
        case nil: break
        case .full?:
            isFull = true
            controller.step(.storage(isFull: true), at: now, into: &effects)
        case .room?: controller.step(.storage(isFull: false), at: now, into: &effects)
        }
        let kept = Controller.Input.stored(took: .microseconds(10), segment: writer.segment)
        controller.step(kept, at: now, into: &effects)
        return isFull
    }
}

extension Moment {
    /// The time by clocks whose wall clock is wrong.
    func astray(by error: Duration) -> Moment {
        error == .zero ? self : Moment(monotonic: monotonic, wall: wall.advanced(by: error))
    }
}
