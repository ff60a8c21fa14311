import FleetProtocol
import FleetReplica

/// A presentation of a replica: a table, lines of text, or JSON.
protocol Presenter: Sendable {
    mutating func handle(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8])

    mutating func turn(_ replica: Replica, at now: Moment, into output: inout [UInt8])

    /// Changes the view model of a screen, or reads it; returns nil without a screen.
    @discardableResult
    mutating func withView<Value>(_ body: (inout ViewModel) -> Value) -> Value?

    mutating func press(_ key: Key, on replica: Replica, at now: Moment, into viewEffects: inout [ViewEffect])

    /// Returns the errors since the last call that no log file has.
    mutating func drainErrors() -> [EventLine]

    /// Redraws everything at the next turn, because the terminal may show other content.
    mutating func redraw()

    func wait() -> Duration

    /// Drops all state derived from the replica before another replica, possibly of an earlier time, is
    /// shown.
    mutating func rewind()

    /// Appends all output that is still held back.
    mutating func finish(at now: Moment, into output: inout [UInt8])
}

extension Presenter {
    mutating func turn(_ replica: Replica, at now: Moment, into output: inout [UInt8]) {}
    mutating func withView<Value>(_ body: (inout ViewModel) -> Value) -> Value? { nil }
    mutating func press(_ key: Key, on replica: Replica, at now: Moment, into viewEffects: inout [ViewEffect])
    {}
    mutating func drainErrors() -> [EventLine] { [] }
    mutating func redraw() {}
    func wait() -> Duration { FramePace.interval }
    mutating func rewind() {}
    mutating func finish(at now: Moment, into output: inout [UInt8]) {}
}

struct PlainPresenter: Presenter {
    let filter: EventFilter
    let eastOfUTC: LocalOffset
    private var narration = Narration()
    private var lines: [EventLine] = []

    init(filter: EventFilter, eastOfUTC: @escaping LocalOffset) {
        (self.filter, self.eastOfUTC) = (filter, eastOfUTC)
    }

    mutating func handle(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {
        guard filter.matches(event, of: replica) else { return }
        narration.handle(event, at: now.monotonic, into: &lines)
        append(to: &output)
    }

    mutating func turn(_ replica: Replica, at now: Moment, into output: inout [UInt8]) {
        narration.tick(at: now.monotonic, into: &lines)
        append(to: &output)
    }

    mutating func finish(at now: Moment, into output: inout [UInt8]) {
        narration.tick(at: now.monotonic.advanced(by: Narration.stateDelay), into: &lines)
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

struct JSONPresenter: Presenter {
    let filter: EventFilter
    /// Whether the state of every device precedes the changes.
    var showsSnapshot = false

    mutating func handle(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {
        if showsSnapshot, case .fleet(.resync(let resync)) = event.body, resync.isFirst {
            EventJSON.appendSnapshot(of: replica, at: event.at, filter: filter, to: &output)
        }
        EventJSON.append(event, of: replica, filter: filter, to: &output)
    }
}

struct SilentPresenter: Presenter {
    mutating func handle(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {}
}
