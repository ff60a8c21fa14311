/// The user's position in the log: at its end, which follows new messages, or at a message.
struct LogReading: Sendable {
    /// A line of a message; it stays valid when messages are added and the oldest are dropped.
    private struct Top {
        let number: Int
        let line: Int
    }

    /// Whether only errors are shown.
    private(set) var isErrorsOnly = false
    /// The first line on the screen; nil if the newest messages are on the screen.
    private var top: Top?
    /// The size of the last screen drawn.
    private var rows = 1
    private var width = 80

    /// A position at the newest messages.
    mutating func begin(errorsOnly: Bool) { (isErrorsOnly, top) = (errorsOnly, nil) }

    /// Switches between errors only and all messages; the error at the top stays on the screen.
    mutating func toggleErrors() {
        isErrorsOnly.toggle()
        if isErrorsOnly { top = nil }
    }

    /// Scrolls for an intent.
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
    mutating func page(
        of log: MessageLog, rows: Int, width: Int, eastOfUTC: @escaping LocalOffset
    ) -> ScreenContent.Page {
        (self.rows, self.width) = (max(1, rows), width)
        let text = text(of: log, eastOfUTC)
        let last = text.lastTop(rows: self.rows)
        let start = min(place(in: text) ?? last, last)
        let (lines, end) = text.lines(from: start, rows: rows)
        let total = text.entries.count
        let shown = total == 0 ? 0 : start.entry + 1
        let behind = min(total, end.line > 0 ? end.entry + 1 : end.entry)
        return ScreenContent.Page(
            title: isErrorsOnly ? "log: errors only" : "log",
            lines: lines.isEmpty ? [ScreenLine("no messages yet", .dim)] : lines, below: 0,
            position: "\(shown)–\(behind) of \(total)")
    }

    private func text(of log: MessageLog, _ eastOfUTC: @escaping LocalOffset) -> WrappedLog {
        WrappedLog(entries: log.entries(errorsOnly: isErrorsOnly), width: width, eastOfUTC: eastOfUTC)
    }

    /// Returns the place of the first line, or of the oldest message if that line was dropped; nil at the
    /// end.
    private func place(in text: WrappedLog) -> WrappedLog.Place? {
        guard let top else { return nil }
        guard let entry = text.entries.firstIndex(where: { $0.number >= top.number }) else { return nil }
        guard text.entries[entry].number == top.number else { return .init(entry: entry, line: 0) }
        return .init(entry: entry, line: min(top.line, text.lines(of: entry).count - 1))
    }
}
