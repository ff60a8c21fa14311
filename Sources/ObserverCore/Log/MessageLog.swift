/// The messages of a screen: the newest of all kinds, and beside them the newest errors.
struct MessageLog: Sendable {
    /// A message in the order in which messages came.
    struct Entry: Sendable, Equatable {
        /// How many messages came before it.
        let number: Int
        /// The message.
        let line: EventLine
        /// Whether a file has it already, so that the next observer of the fleet reads it there.
        let isStored: Bool
    }

    /// How many messages are kept, and how many errors beside them.
    static let limit = 2_000

    private var recent = Ring<Entry>(limit: limit)
    private var errors = Ring<Entry>(limit: limit)
    /// How many messages were added so far.
    private(set) var count = 0

    /// Adds a message; the oldest one of its kind goes when there are ``limit``.
    mutating func append(_ line: EventLine, isStored: Bool = false) {
        let entry = Entry(number: count, line: line, isStored: isStored)
        count += 1
        recent.append(entry)
        if line.isError { errors.append(entry) }
    }

    /// The newest messages, at most that many, oldest first.
    func newest(_ count: Int) -> [EventLine] { recent.newest(count).map(\.line) }

    /// All that are kept, oldest first.
    func entries(errorsOnly: Bool) -> [Entry] {
        let errors = errors.newest(errors.count)
        guard !errorsOnly else { return errors }
        let recent = recent.newest(recent.count)
        let first = recent.first?.number ?? count
        return errors.prefix { $0.number < first } + recent
    }

    /// The errors among the messages from that number on which no file has yet, oldest first.
    func unstoredErrors(from number: Int) -> [EventLine] {
        guard count > number else { return [] }
        return errors.newest(count - number).filter { $0.number >= number && !$0.isStored }.map(\.line)
    }
}
