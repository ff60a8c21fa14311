/// The messages of a screen: the newest messages, and separately the newest errors.
struct MessageLog: Sendable {
    /// A message with its position in the order of arrival.
    struct Entry: Sendable, Equatable {
        /// The number of earlier messages.
        let number: Int
        /// The message.
        let line: EventLine
        /// Whether a log file has it already, where the next observer of the fleet reads it.
        let isStored: Bool
    }

    /// The most messages in memory, and the most errors.
    static let limit = 2_000

    private var recent = Ring<Entry>(limit: limit)
    private var errors = Ring<Entry>(limit: limit)
    /// The number of messages added so far.
    private(set) var count = 0

    /// Adds a message; beyond ``limit`` the oldest message, or error, is dropped.
    mutating func append(_ line: EventLine, isStored: Bool = false) {
        let entry = Entry(number: count, line: line, isStored: isStored)
        count += 1
        recent.append(entry)
        if line.isError { errors.append(entry) }
    }

    /// The newest messages, at most that many, oldest first.
    func newest(_ count: Int) -> [EventLine] { recent.newest(count).map(\.line) }

    /// All messages in memory, or all errors, oldest first.
    func entries(errorsOnly: Bool) -> [Entry] {
        let errors = errors.newest(errors.count)
        guard !errorsOnly else { return errors }
        let recent = recent.newest(recent.count)
        let first = recent.first?.number ?? count
        return errors.prefix { $0.number < first } + recent
    }

    /// The errors from a message's number on that no log file has yet, oldest first.
    func unstoredErrors(from number: Int) -> [EventLine] {
        guard count > number else { return [] }
        return errors.newest(count - number).filter { $0.number >= number && !$0.isStored }.map(\.line)
    }
}
