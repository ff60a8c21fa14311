import FleetProtocol

/// The messages, and the user's position in them.
struct Messages: Sendable {
    private(set) var log = MessageLog()
    private var reading = LogReading()
    /// The messages for a file since the last call of ``takeUnwritten()``; nil without a file.
    private var unwritten: [EventLine]?

    /// Adds a message.
    ///
    /// - Parameter isStored: Whether a log file has it already.
    mutating func append(_ line: EventLine, isStored: Bool = false) {
        log.append(line, isStored: isStored)
        unwritten?.append(line)
    }

    /// Collects further messages for a file.
    mutating func collect() { unwritten = [] }

    /// Returns the collected messages since the last call, oldest first.
    mutating func takeUnwritten() -> [EventLine] {
        guard let lines = unwritten, !lines.isEmpty else { return [] }
        unwritten = []
        return lines
    }

    /// Opens the log at the newest message.
    mutating func open(errorsOnly: Bool) { reading.begin(errorsOnly: errorsOnly) }

    /// Switches the log between errors only and all messages.
    mutating func toggleErrors() { reading.toggleErrors() }

    /// Appends a character to the text that all shown messages contain.
    mutating func type(_ character: Character) { reading.type(character) }

    /// Deletes the last character of that text.
    mutating func erase() { reading.erase() }

    /// Shows messages with and without that text.
    mutating func clearFilter() { reading.filter(by: "") }

    /// Scrolls in a log for an intent.
    ///
    /// - Parameter frozen: The log to show in place of the current one while the screen is paused.
    mutating func move(_ intent: ViewIntent, in frozen: MessageLog?, eastOfUTC: @escaping LocalOffset) {
        reading.move(intent, in: frozen ?? log, eastOfUTC: eastOfUTC)
    }

    /// Returns the part of a log that a screen of that many rows and columns shows.
    ///
    /// - Parameters:
    ///   - frozen: The log to show in place of the current one while the screen is paused.
    ///   - hasDates: Whether a line with the date precedes the first message of each day.
    mutating func part(
        of frozen: MessageLog?, rows: Int, width: Int, hasDates: Bool, eastOfUTC: @escaping LocalOffset
    ) -> ScreenContent.LogPart {
        reading.part(of: frozen ?? log, rows: rows, width: width, hasDates: hasDates, eastOfUTC: eastOfUTC)
    }
}

/// A sentence that answers a key, in the title line until the next key or for a while.
struct Hint: Sendable {
    /// The longest time that a hint is shown.
    static let displayTime: Duration = .seconds(5)

    let text: String
    let tone: EventLine.Tone
    let until: MonotonicTime

    init(_ text: String, _ tone: EventLine.Tone, at now: MonotonicTime) {
        (self.text, self.tone) = (text, tone)
        until = now.advanced(by: Self.displayTime)
    }
}
