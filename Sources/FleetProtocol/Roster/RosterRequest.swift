public import Stepping

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
