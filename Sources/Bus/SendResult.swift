/// What became of a message that was offered to a socket.
///
/// A message is taken whole or not at all, whatever its number of frames.
@frozen public enum SendResult: Hashable, Sendable {
    /// The socket took the message. It may still be lost on the way: only a reply proves delivery.
    case sent
    /// There is no room: the peer's queue is full or, except on PUB, XPUB and ROUTER, there is no peer.
    case wouldBlock
    /// A ROUTER has no peer of that routing id.
    case unroutable
}
