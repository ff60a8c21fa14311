/// How many messages a socket carried and refused since it was made.
///
/// A message counts once, whatever its number of frames. What a PUB drops for a slow peer is not known
/// to libzmq's caller and so not counted.
public struct SocketCounters: Hashable, Sendable {
    /// Messages the socket took.
    public internal(set) var sentMessages: UInt64 = 0
    /// Messages handed to the caller.
    public internal(set) var receivedMessages: UInt64 = 0
    /// Messages refused with `SendResult.wouldBlock`.
    public internal(set) var wouldBlockMessages: UInt64 = 0
    /// Messages refused with `SendResult.unroutable`.
    public internal(set) var unroutableMessages: UInt64 = 0
    /// Messages received and dropped for having more than ``Frames/limit`` frames.
    public internal(set) var oversizeMessages: UInt64 = 0
    /// Messages received and dropped because their connection was ended, beyond ``SocketOptions/bounds``.
    public internal(set) var floodMessages: UInt64 = 0

    /// Counters of a socket that carried nothing yet.
    public init() {}
}
