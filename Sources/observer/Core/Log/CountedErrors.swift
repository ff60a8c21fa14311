import FleetProtocol
import FleetReplica
import UserText

/// How often an error occurred, and when last.
struct Repeats: Sendable, Equatable {
    /// The number of times, with the first.
    var count: Int
    /// The time of the last one.
    var last: WallTime

    /// The words behind the error's own, with a time that far east of UTC; empty for an error that occurred
    /// once.
    func text(eastOfUTC offset: Duration) -> String {
        guard count > 1 else { return "" }
        return ", \(count) times, last at \(TimeText.timeOfDay(last, eastOfUTC: offset).prefix(8))"
    }
}

/// Errors counted by their kind, so that their number does not depend on how often they occur.
///
/// An entry takes about 0.3 kB, all entries together 10 MB.
struct CountedErrors: Sendable {
    /// The most kinds of errors: three for each of 10,000 devices.
    static let limit = 32_768
    private static let beyondLimit = "errors of other kinds; `observer --log` writes all errors to a file"

    /// An entry for each kind, in the order of the first error of each.
    private(set) var entries: [MessageLog.Entry] = []
    private var places: [EventLine.Kind: Int] = [:]

    /// Counts an error; beyond ``limit`` kinds, all further kinds have one entry.
    mutating func add(_ error: MessageLog.Entry) {
        let kind = error.line.kind
        if let place = places[kind] { return count(error, at: place) }
        guard entries.count >= Self.limit else {
            places[kind] = entries.count
            return begin(error, error.line.text)
        }
        if entries.count > Self.limit { count(error, at: Self.limit) } else { begin(error, Self.beyondLimit) }
    }

    private mutating func begin(_ error: MessageLog.Entry, _ text: String) {
        let line = EventLine(at: error.line.at, tone: error.line.tone, text: text)
        entries.append(
            MessageLog.Entry(
                number: error.number, line: line, isStored: error.isStored,
                repeats: Repeats(count: 1, last: line.at)))
    }

    private mutating func count(_ error: MessageLog.Entry, at place: Int) {
        entries[place].repeats?.count += 1
        entries[place].repeats?.last = error.line.at
    }
}

extension EventLine {
    /// What errors have in common that differ only in their times and in the version of a device.
    struct Kind: Hashable, Sendable {
        private let device: DeviceID?
        /// The name that the message shows, so that it is found by that.
        private let name: String?
        private let user: Email?
        private let text: String

        /// The kind of an error that is only a text.
        init(_ text: String) { (device, name, user, self.text) = (nil, nil, nil, text) }

        init(_ end: FleetEvent.Outcome) {
            let report = end.report
            (device, name, user) = (report.device, end.device?.name, report.user)
            text =
                switch report.outcome {
                case .rejected(let why): "rejected: \(why)"
                case .undetermined(let reason): "undetermined: \(reason.text)"
                case .applied, .unchanged, .conflict, .cancelled, .expired, .unknown: report.outcome.name
                }
        }
    }
}
