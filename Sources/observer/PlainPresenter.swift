import FleetReplica
import ObserverCore
import Stepping
import Wording

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
