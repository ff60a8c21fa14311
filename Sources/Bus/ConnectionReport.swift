/// One event of a monitored socket, where it happened, and its place among the others.
public struct ConnectionReport: Hashable, Sendable {
    /// The number of the event in its sequence, from 1; a gap tells how many were lost before it.
    public let number: UInt64
    /// What happened.
    public let event: ConnectionEvent
    /// Where it happened, as libzmq tells it: a path alone for a failed bind, and empty for `stopped`.
    public let endpoint: String
}
