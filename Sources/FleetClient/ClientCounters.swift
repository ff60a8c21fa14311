/// What a client received and could not use.
public struct ClientCounters: Hashable, Sendable {
    /// Replies to requests that no longer wait: late ones, and those to second copies.
    public internal(set) var unknownReplies: UInt64 = 0
    /// Replies that cannot be read.
    public internal(set) var badReplies: UInt64 = 0
    /// Stream updates that cannot be read; the gap in the sequence tells the replica.
    public internal(set) var badUpdates: UInt64 = 0
    /// What left again because no answer came, or none but that the controller is busy.
    public internal(set) var resends: UInt64 = 0
}
