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
