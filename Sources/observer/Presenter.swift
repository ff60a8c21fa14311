import FleetReplica
import ObserverCore
import Stepping
import Wording

/// How a replica is shown: as a table, as lines in words, or as JSON.
protocol Presenter: Sendable {
    /// Takes an event, and appends what is to be written of it now.
    mutating func take(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8])

    /// Takes how many changes have come that the replica has not taken yet.
    mutating func note(unread: Int)

    /// Takes that time has passed, and appends what is to be written.
    mutating func turn(_ replica: Replica, at now: Moment, into output: inout [UInt8])

    /// What keys go to.
    var focus: ViewFocus { get }

    /// Takes a key, and appends what the person wants done.
    mutating func press(
        _ key: Key, on replica: Replica, at now: Moment, into wishes: inout [ViewEffect])

    /// Takes what became of a wish.
    mutating func take(_ result: ViewResult, on replica: Replica, at now: Moment)

    /// Whether the roster is to be loaded now; what becomes of it is told.
    mutating func wantsRoster(at now: Moment) -> Bool

    /// Takes what there is to know of the roster.
    mutating func take(_ news: RosterNews, at now: Moment)

    /// Takes who looks on.
    mutating func become(_ viewer: Viewer)

    /// Shows messages that a log file has already.
    mutating func tell(_ messages: [EventLine])

    /// Returns the errors since the last call that no log file has.
    mutating func takeErrors() -> [EventLine]

    /// Takes that the terminal may show something else than what was written.
    mutating func redraw()

    /// How long it is until time is to pass again.
    func wait() -> Duration

    /// Lets go of what was made of the replica: another follows, perhaps of an earlier time.
    mutating func rewind()

    /// Appends what was held back and will never be written else.
    mutating func finish(at now: Moment, into output: inout [UInt8])
}

extension Presenter {
    mutating func note(unread: Int) {}
    mutating func turn(_ replica: Replica, at now: Moment, into output: inout [UInt8]) {}
    var focus: ViewFocus { .table }
    mutating func press(
        _ key: Key, on replica: Replica, at now: Moment, into wishes: inout [ViewEffect]
    ) {}
    mutating func take(_ result: ViewResult, on replica: Replica, at now: Moment) {}
    mutating func wantsRoster(at now: Moment) -> Bool { false }
    mutating func take(_ news: RosterNews, at now: Moment) {}
    mutating func become(_ viewer: Viewer) {}
    mutating func tell(_ messages: [EventLine]) {}
    mutating func takeErrors() -> [EventLine] { [] }
    mutating func redraw() {}
    func wait() -> Duration { FramePace.interval }
    mutating func rewind() {}
    mutating func finish(at now: Moment, into output: inout [UInt8]) {}
}

/// Shows events as lines in words.
struct PlainPresenter: Presenter {
    let filter: EventFilter
    let eastOfUTC: LocalOffset
    private var narration = Narration()
    private var lines: [EventLine] = []

    init(filter: EventFilter, eastOfUTC: @escaping LocalOffset) {
        self.filter = filter
        self.eastOfUTC = eastOfUTC
    }

    mutating func take(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {
        guard filter.matches(event, of: replica) else { return }
        narration.take(event, at: now.monotonic, into: &lines)
        append(to: &output)
    }

    mutating func turn(_ replica: Replica, at now: Moment, into output: inout [UInt8]) {
        narration.tick(at: now.monotonic, into: &lines)
        append(to: &output)
    }

    mutating func finish(at now: Moment, into output: inout [UInt8]) {
        narration.tick(at: now.monotonic.advanced(by: Narration.patience), into: &lines)
        append(to: &output)
    }

    private mutating func append(to output: inout [UInt8]) {
        for line in lines {
            line.append(to: &output, eastOfUTC: eastOfUTC(line.at))
            output.append(UInt8(ascii: "\n"))
        }
        lines.removeAll(keepingCapacity: true)
    }
}

/// Shows events as JSON, one object a line.
struct JSONPresenter: Presenter {
    let filter: EventFilter

    mutating func take(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {
        EventJSON.append(event, of: replica, filter: filter, to: &output)
    }
}

/// Shows nothing.
struct SilentPresenter: Presenter {
    mutating func take(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {}
}
