import FleetProtocol

struct Messages: Sendable {
    private(set) var log = MessageLog()
    private var reading = LogReading()
    /// The messages for a file since the last call of ``takeUnwritten()``; nil without a file.
    private var unwritten: [EventLine]?

    mutating func append(_ line: EventLine, isStored: Bool = false) {
        log.append(line, isStored: isStored)
        unwritten?.append(line)
    }

    mutating func collect() { unwritten = [] }

    mutating func takeUnwritten() -> [EventLine] {
        guard let lines = unwritten, !lines.isEmpty else { return [] }
        unwritten = []
        return lines
    }

    mutating func open(errorsOnly: Bool) { reading.begin(errorsOnly: errorsOnly) }
    mutating func toggleErrors() { reading.toggleErrors() }

    /// Appends a character to the text that all shown messages contain.
    mutating func type(_ character: Character) { reading.type(character) }

    mutating func erase() { reading.erase() }
    mutating func clearFilter() { reading.filter(by: "") }

    mutating func move(_ intent: ViewIntent, in frozen: MessageLog?, eastOfUTC: @escaping LocalOffset) {
        reading.move(intent, in: frozen ?? log, eastOfUTC: eastOfUTC)
    }

    /// Returns the part of a log, the frozen one while the screen is paused, for a screen of that size. A
    /// line with the date may precede the first message of each day.
    mutating func part(
        of frozen: MessageLog?, rows: Int, width: Int, hasDates: Bool, eastOfUTC: @escaping LocalOffset
    ) -> ScreenContent.LogPart {
        reading.part(of: frozen ?? log, rows: rows, width: width, hasDates: hasDates, eastOfUTC: eastOfUTC)
    }
}

/// A sentence that answers a key, in the title line until the next key or for a while.
struct Hint: Sendable {
    static let displayTime: Duration = .seconds(5)

    let text: String
    let tone: EventLine.Tone
    let until: MonotonicTime

    init(_ text: String, _ tone: EventLine.Tone, at now: MonotonicTime) {
        (self.text, self.tone) = (text, tone)
        until = now.advanced(by: Self.displayTime)
    }
}
