/// The number of changes to a roster; 0 if it was never changed.
public struct RosterVersion: Ordinal {
    /// The count.
    public let value: UInt64
    /// A version with a count.
    public init(_ value: UInt64) { self.value = value }
}

/// The name and the message of the day that are shown above a plan of shifts.
public struct RosterHeading: Hashable, Sendable {
    /// The name of the team, as untrusted text: one line of at most ``Limits/nameBytes`` bytes, and empty if
    /// it is not set.
    public let name: String
    /// The message of the day, as untrusted plain text of at most ``Limits/rosterMessageBytes`` bytes; may be
    /// empty.
    public let message: String

    /// A heading with the given values.
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

    /// The size of the texts in bytes.
    public var bytes: Int { name.utf8.count + message.utf8.count }

    /// The heading of a roster that was never changed.
    public static let empty = RosterHeading()
}

/// The roster of an account, without its shifts.
public struct Roster: Hashable, Sendable {
    /// The number of changes so far.
    public let version: RosterVersion
    /// The name and the message of the day.
    public let heading: RosterHeading
    /// The time zone in which the shifts were entered.
    public let timeZone: TimeZoneName
    /// The number of shifts.
    public let shifts: UInt32
    /// Whether only users on duty and owners may switch devices.
    public let isEnforced: Bool

    /// A roster with the given values.
    public init(
        version: RosterVersion, heading: RosterHeading = .empty, timeZone: TimeZoneName = .utc,
        shifts: UInt32, isEnforced: Bool
    ) {
        (self.version, self.heading, self.timeZone) = (version, heading, timeZone)
        (self.shifts, self.isEnforced) = (shifts, isEnforced)
    }
}

/// The controller's reply to a ``RosterRequest``.
public enum RosterReply: Sendable, Equatable {
    /// The roster, with some of its shifts.
    case chunk(RosterChunk)
    /// The roster as stored after the change.
    case changed(Roster)
    /// The number of shifts that are staged for an import.
    case staged(shifts: UInt32)
    /// The staged shifts replaced the plan; `strangers` has some of the plan's emails that belong to no user
    /// of the account.
    case replaced(Roster, strangers: [Email])
}

/// The roster, with some of its shifts.
public struct RosterChunk: Hashable, Sendable {
    /// The roster.
    public let roster: Roster
    /// The shifts, in their order.
    public let shifts: [Shift]
    /// The cursor of the next pull; valid while the roster has the same version.
    public let nextCursor: UInt32
    /// Whether this is the last chunk.
    public let isLast: Bool

    /// A chunk with the given values.
    public init(roster: Roster, shifts: [Shift], nextCursor: UInt32, isLast: Bool) {
        (self.roster, self.shifts, self.nextCursor, self.isLast) = (roster, shifts, nextCursor, isLast)
    }
}

/// A request about the roster of the user's account.
public enum RosterRequest: Sendable, Equatable, ServiceRequest {
    /// Reads the roster with some of its shifts.
    case read(RosterPull)
    /// Replaces the heading if the roster has that version.
    case change(from: RosterVersion, to: RosterHeading)
    /// Stages 1 to ``Limits/stagedShifts`` shifts of at most ``Limits/stagedShiftBytes`` for an import.
    ///
    /// `after` is the number of shifts that are staged already.
    case stage(RequestID, after: UInt32, [Shift])
    /// Replaces all shifts of the plan with the staged ones in one step.
    case replace(RosterImport)

    /// The reply to a ``RosterRequest``.
    public typealias Reply = RosterReply

    /// The service `roster`.
    public static let service = ServiceName(constant: "roster")

    /// A change names the version that it is based on, and an import has an ID: they may be sent again.
    public var traits: RequestTraits {
        switch self {
        case .read: .read
        case .change, .stage, .replace: RequestTraits(retry: .onSilence, keyScope: nil)
        }
    }
}

/// A range of shifts to read, and the cursor to continue from.
public struct RosterPull: Hashable, Sendable {
    /// The start of the range; shifts that ended by then are left out.
    public let from: WallTime
    /// The end of the range; shifts that begin then or later are left out; nil means no end.
    public let until: WallTime?
    /// The cursor: 0 for the first chunk, then `nextCursor` of the last reply.
    public let cursor: UInt32

    /// Creates a pull; by default it reads the whole plan.
    public init(from: WallTime = WallTime(unixMilliseconds: 0), until: WallTime? = nil, cursor: UInt32 = 0) {
        (self.from, self.until, self.cursor) = (from, until, cursor)
    }
}

/// An import, which replaces the plan with the staged shifts.
public struct RosterImport: Hashable, Sendable {
    /// The request ID under which the shifts were staged.
    public let requestID: RequestID
    /// The version of the roster that the import is based on.
    public let base: RosterVersion
    /// The number of staged shifts; an import of 0 shifts needs no staging.
    public let shifts: UInt32
    /// The time zone in which the shifts were entered.
    public let timeZone: TimeZoneName

    /// An import with the given values.
    public init(requestID: RequestID, base: RosterVersion, shifts: UInt32, timeZone: TimeZoneName) {
        (self.requestID, self.base, self.shifts, self.timeZone) = (requestID, base, shifts, timeZone)
    }
}

/// A stored record of an account's roster.
public enum RosterRecord: Hashable, Sendable {
    /// The roster without its shifts, and the ID of the import that set them; nil before the first import.
    case roster(RosterVersion, RosterHeading, timeZone: TimeZoneName, lastImport: RequestID?)
    /// A shift, and its place in the plan.
    case shift(Shift, place: UInt32)
}
