import UserText

/// The messages that the log shows, and the user's position in them: at the end, which follows new messages,
/// or at a message.
struct LogReading: Sendable {
    private static let filterLength = 64

    /// A line of a message; it stays valid when messages are added and the oldest are dropped.
    private struct Top {
        let number: Int
        let line: Int
    }

    private(set) var isErrorsOnly = false
    /// The text that all shown messages contain; empty for all messages.
    private(set) var filter = ""
    /// The messages that contain the filter; nil before the first is needed.
    private var selection: LogSelection?
    /// The first line on the screen; nil if the newest messages are on the screen.
    private var top: Top?
    private var rows = 1
    private var width = 80

    /// All messages, at the newest.
    mutating func begin(errorsOnly: Bool) {
        (isErrorsOnly, top) = (errorsOnly, nil)
        filter(by: "")
    }

    /// Switches between errors only and all messages; the error at the top stays on the screen.
    mutating func toggleErrors() {
        isErrorsOnly.toggle()
        if isErrorsOnly { top = nil }
        selection = nil
    }

    /// Appends a character to the filter, unless it has the maximum length.
    mutating func type(_ character: Character) {
        if filter.count < Self.filterLength { filter(by: filter + String(character)) }
    }

    mutating func erase() { filter(by: String(filter.dropLast())) }

    /// Shows only messages that contain a text, at the newest; all for an empty text.
    mutating func filter(by text: String) { (filter, selection, top) = (text, nil, nil) }

    mutating func move(_ intent: ViewIntent, in log: MessageLog, eastOfUTC: @escaping LocalOffset) {
        let text = text(of: log, eastOfUTC)
        let last = text.lastTop(rows: rows)
        let place =
            switch intent {
            case .move(let lines): text.place(lines, from: place(in: text) ?? last)
            case .page(let pages): text.place(pages * rows, from: place(in: text) ?? last)
            case .first: WrappedLog.Place(entry: 0, line: 0)
            default: last
            }
        top = place < last ? Top(number: text.entries[place.entry].number, line: place.line) : nil
    }

    /// Returns the part of the log that a screen of that many rows and columns shows.
    mutating func part(
        of log: MessageLog, rows: Int, width: Int, hasDates: Bool, eastOfUTC: @escaping LocalOffset
    ) -> ScreenContent.LogPart {
        (self.rows, self.width) = (max(1, rows), width)
        let text = text(of: log, hasDates: hasDates, eastOfUTC)
        let last = text.lastTop(rows: self.rows)
        let start = min(place(in: text) ?? last, last)
        let (lines, end) = text.lines(from: start, rows: rows)
        let total = text.entries.count
        let shown = total == 0 ? 0 : start.entry + 1
        let behind = min(total, end.line > 0 ? end.entry + 1 : end.entry)
        return ScreenContent.LogPart(
            lines: lines, position: "\(shown)–\(behind) of \(total)", isErrorsOnly: isErrorsOnly,
            filter: SafeText.of(filter), isAtEnd: top == nil)
    }

    private mutating func text(
        of log: MessageLog, hasDates: Bool = true, _ eastOfUTC: @escaping LocalOffset
    ) -> WrappedLog {
        WrappedLog(
            entries: entries(of: log, eastOfUTC), width: width, hasDates: hasDates, eastOfUTC: eastOfUTC)
    }

    private mutating func entries(of log: MessageLog, _ eastOfUTC: @escaping LocalOffset) -> LogEntries {
        guard !filter.isEmpty else { return log.entries(errorsOnly: isErrorsOnly) }
        var found = selection ?? LogSelection(filter, errorsOnly: isErrorsOnly, eastOfUTC: eastOfUTC)
        defer { selection = found }
        return found.entries(of: log)
    }

    /// Returns the place of the first line, or of the next message if that line was dropped; nil at the end.
    private func place(in text: WrappedLog) -> WrappedLog.Place? {
        guard let top, let entry = text.entries.place(of: top.number) else { return nil }
        guard text.entries[entry].number == top.number else { return .init(entry: entry, line: 0) }
        return .init(entry: entry, line: min(top.line, text.lines(of: entry).count - 1))
    }
}

/// The messages that contain a text; each message is searched only once.
struct LogSelection: Sendable {
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
