/// How often somebody has said something of a roster; 0: nobody has.
public struct RosterVersion: Ordinal {
    /// The count.
    public let value: UInt64
    /// The version of that count.
    public init(_ value: UInt64) { self.value = value }
}

/// What stands over a plan of shifts.
public struct RosterHeading: Hashable, Sendable {
    /// What whoever has the roster is called: one line of at most ``Limits/nameBytes`` bytes, and empty
    /// where nobody said; text of strangers.
    public let name: String
    /// The message of the day: plain text of at most ``Limits/rosterMessageBytes`` bytes; empty where there
    /// is none; text of strangers.
    public let message: String

    /// The heading of those parts.
    ///
    /// - Throws: ``LogbookTextError``.
    public init(name: String, message: String) throws(LogbookTextError) {
        self.name = name.isEmpty ? "" : try LogbookText.line(name, of: "name", bytes: Limits.nameBytes)
        self.message = try LogbookText.lines(message, of: "message", bytes: Limits.rosterMessageBytes)
    }

    private init() {
        name = ""
        message = ""
    }

    /// What its texts take.
    public var bytes: Int { name.utf8.count + message.utf8.count }

    /// Of which nobody has said anything.
    public static let unsaid = RosterHeading()
}

/// The roster of an account but for its shifts.
public struct Roster: Hashable, Sendable {
    /// How often somebody has said something of it.
    public let version: RosterVersion
    /// What stands over it.
    public let heading: RosterHeading
    /// Where the clocks are by which its shifts were written.
    public let timeZone: TimeZoneName
    /// How many shifts there are.
    public let shifts: UInt32
    /// Whether only people on duty, and owners, switch devices.
    public let isEnforced: Bool

    /// The roster of those parts.
    public init(
        version: RosterVersion, heading: RosterHeading = .unsaid, timeZone: TimeZoneName = .utc,
        shifts: UInt32, isEnforced: Bool
    ) {
        self.version = version
        self.heading = heading
        self.timeZone = timeZone
        self.shifts = shifts
        self.isEnforced = isEnforced
    }
}
