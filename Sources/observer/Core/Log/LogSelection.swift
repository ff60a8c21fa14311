/// The messages that contain a text; each message is searched only once.
struct LogSelection: Sendable {
    /// The text, in lower case.
    private let text: String
    private let isErrorsOnly: Bool
    private let eastOfUTC: LocalOffset
    private var searched = 0
    /// The number of counted errors searched so far, and the places of those that contain the text.
    private var searchedKinds = 0
    private var kinds: [Int] = []
    private var single: [MessageLog.Entry] = []

    init(_ text: String, errorsOnly: Bool, eastOfUTC: @escaping LocalOffset) {
        (self.text, isErrorsOnly, self.eastOfUTC) = (text.lowercased(), errorsOnly, eastOfUTC)
    }

    /// Returns the messages of a log that contain the text, oldest first.
    mutating func entries(of log: MessageLog) -> LogEntries {
        let counted = log.counted.entries
        kinds += (searchedKinds..<counted.count).filter { matches(counted[$0]) }
        searchedKinds = counted.count
        if searched != log.count {
            if log.count - searched > MessageLog.limit {
                single = log.entries(errorsOnly: isErrorsOnly).filter { $0.repeats == nil && matches($0) }
            } else {
                single += log.entries(from: searched).filter { matches($0) }
            }
            searched = log.count
            log.prune(&single)
        }
        return LogEntries(parts: [kinds.map { counted[$0] }[...], single[...]])
    }

    private func matches(_ entry: MessageLog.Entry) -> Bool {
        guard entry.line.isError || !isErrorsOnly else { return false }
        return entry.text(eastOfUTC: eastOfUTC(entry.line.at)).lowercased().contains(text)
    }
}
