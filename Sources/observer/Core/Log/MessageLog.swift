import FleetProtocol
import FleetReplica
import UserText

/// The messages of a screen: the newest messages, the newest errors, and a count of each earlier error.
struct MessageLog: Sendable {
    struct Entry: Sendable, Equatable {
        let number: Int
        /// The message; the first one, if it was repeated.
        let line: EventLine
        /// Whether a log file has it already, where the next observer of the fleet reads it.
        let isStored: Bool
        /// How often the error was repeated; nil for a message that stands for itself.
        var repeats: Repeats?

        /// The words of the message, with times that far east of UTC.
        func text(eastOfUTC offset: Duration) -> String {
            line.text(eastOfUTC: offset) + (repeats.map { $0.text(eastOfUTC: offset) } ?? "")
        }
    }

    /// The most messages in memory, and the most errors that are not counted together.
    static let limit = 2_000

    private var recent = Ring<Entry>(limit: limit)
    private var errors = Ring<Entry>(limit: limit)
    /// The errors before the newest ``limit``.
    private(set) var counted = CountedErrors()
    private(set) var count = 0

    /// Adds a message; beyond ``limit`` the oldest message is dropped, and the oldest error is counted.
    mutating func append(_ line: EventLine, isStored: Bool = false) {
        let entry = Entry(number: count, line: line, isStored: isStored)
        count += 1
        recent.append(entry)
        if line.isError, let earlier = errors.append(entry) { counted.add(earlier) }
    }

    /// The messages from a number on that are in memory, oldest first.
    func entries(from number: Int) -> [Entry] { recent.newest(count - number) }

    /// All messages in memory, or all errors, oldest first.
    func entries(errorsOnly: Bool) -> LogEntries {
        let errors = errors.parts
        guard !errorsOnly else { return LogEntries(parts: [counted.entries[...]] + errors) }
        let first = firstRecent
        let earlier = errors.map { $0.prefix { $0.number < first } }
        return LogEntries(parts: [counted.entries[...]] + earlier + recent.parts)
    }

    /// Removes messages that are no longer in memory by themselves: dropped, or counted with others.
    func prune(_ entries: inout [Entry]) {
        let (firstRecent, firstError) = (firstRecent, firstError)
        entries.removeAll { entry in
            entry.number < firstRecent && !(entry.line.isError && entry.number >= firstError)
        }
    }

    func unstoredErrors(from number: Int) -> [EventLine] {
        guard count > number else { return [] }
        return errors.newest(count - number).filter { $0.number >= number && !$0.isStored }.map(\.line)
    }

    private var firstRecent: Int { max(0, count - Self.limit) }
    private var firstError: Int { errors.parts.lazy.compactMap(\.first).first?.number ?? count }
}

/// Messages in several parts, which are not copied, in the order of their numbers.
struct LogEntries: RandomAccessCollection, Sendable {
    let startIndex = 0
    let endIndex: Int
    private let parts: [ArraySlice<MessageLog.Entry>]

    init(parts: [ArraySlice<MessageLog.Entry>]) {
        self.parts = parts
        endIndex = parts.reduce(0) { $0 + $1.count }
    }

    subscript(position: Int) -> MessageLog.Entry {
        var rest = position
        for part in parts {
            guard rest >= part.count else { return part[part.startIndex + rest] }
            rest -= part.count
        }
        preconditionFailure("no message at \(position) of \(endIndex)")
    }

    /// Returns the place of the first message with that number or a higher one; nil if there is none.
    func place(of number: Int) -> Int? {
        var (low, high) = (startIndex, endIndex)
        while low < high {
            let middle = (low + high) / 2
            if self[middle].number < number { low = middle + 1 } else { high = middle }
        }
        return low < endIndex ? low : nil
    }
}

struct Repeats: Sendable, Equatable {
    var count: Int
    var last: WallTime

    /// The words behind the error's own, with a time that far east of UTC; empty for an error that occurred
    /// once.
    func text(eastOfUTC offset: Duration) -> String {
        guard count > 1 else { return "" }
        return ", \(count) times, last at \(TimeText.timeOfDay(last, eastOfUTC: offset).prefix(8))"
    }
}

/// Errors counted by their kind, so that their number does not depend on how often they occur. An entry takes
/// about 0.3 kB, all entries together 10 MB.
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
