public import Stepping

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

/// What the controller answers about the roster of an account.
public enum RosterReply: Sendable, Equatable {
    /// The roster, with some of its shifts.
    case chunk(RosterChunk)
    /// The roster, as it is kept now.
    case changed(Roster)
    /// So many shifts are put aside.
    case staged(shifts: UInt32)
    /// The shifts are the plan now; with some of the emails in it by which nobody of the account logs in.
    case replaced(Roster, strangers: [Email])
}

/// The roster, with some of its shifts.
public struct RosterChunk: Hashable, Sendable {
    /// The roster.
    public let roster: Roster
    /// The shifts, in their order.
    public let shifts: [Shift]
    /// Where to go on, if the roster is at the same version then.
    public let nextCursor: UInt32
    /// Whether none follows.
    public let isLast: Bool

    /// The chunk of those values.
    public init(roster: Roster, shifts: [Shift], nextCursor: UInt32, isLast: Bool) {
        self.roster = roster
        self.shifts = shifts
        self.nextCursor = nextCursor
        self.isLast = isLast
    }
}

/// What a user's program asks about the roster of its account.
public enum RosterRequest: Sendable, Equatable {
    /// Asks for it, with some of its shifts.
    case read(RosterPull)
    /// Has another heading stand over it, if it is at that version.
    case change(from: RosterVersion, to: RosterHeading)
    /// Puts shifts aside for an import: 1 to ``Limits/stagedShifts``, of ``Limits/stagedShiftBytes`` at most,
    /// behind so many that are there.
    case stage(RequestID, after: UInt32, [Shift])
    /// Has the shifts that were put aside take the place of those in the plan, all of them at once.
    case replace(RosterImport)
}

/// Which shifts somebody wants, and from where on.
public struct RosterPull: Hashable, Sendable {
    /// Those that end after this time.
    public let from: WallTime
    /// Those that begin before this time; nil: however late.
    public let until: WallTime?
    /// Where to go on: 0 at first, and then where the last answer ended.
    public let cursor: UInt32

    /// The pull of those values; of the whole plan where nothing else is said.
    public init(from: WallTime = WallTime(unixMilliseconds: 0), until: WallTime? = nil, cursor: UInt32 = 0) {
        self.from = from
        self.until = until
        self.cursor = cursor
    }
}

/// That shifts which were put aside are to be the plan.
public struct RosterImport: Hashable, Sendable {
    /// The intention, under which they were put aside.
    public let requestID: RequestID
    /// The version of the roster that it is made from.
    public let base: RosterVersion
    /// How many there are; with none, nothing needs to have been put aside.
    public let shifts: UInt32
    /// Where the clocks are by which they were written.
    public let timeZone: TimeZoneName

    /// The import of those parts.
    public init(requestID: RequestID, base: RosterVersion, shifts: UInt32, timeZone: TimeZoneName) {
        self.requestID = requestID
        self.base = base
        self.shifts = shifts
        self.timeZone = timeZone
    }
}
