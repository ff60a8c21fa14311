/// A socket that is closed on its loop's thread once nobody has the lease any more.
///
/// It stands in for an `isolated deinit` of the actor that holds it: Swift 6.3 refuses to compile optimized
/// code that makes such an actor in another module ("circular reference").
///
/// `@unchecked Sendable`: the socket is used on its loop's thread only, by the actor that is pinned there and
/// by what the last release leaves for that thread.
final class SocketLease: @unchecked Sendable {
    /// The socket, for its loop's thread.
    let socket: Socket

    private let loop: Loop

    /// Keeps an open socket of a loop.
    init(_ socket: Socket, of loop: Loop) {
        self.socket = socket
        self.loop = loop
    }

    deinit {
        // A loop that has ended has closed it, or leaves it to its own last release.
        guard !loop.hasEnded else { return }
        // Handed over whole: whoever let go of the lease does not touch the socket again.
        nonisolated(unsafe) let socket = socket
        loop.perform { socket.close() }
    }
}
