import Bus

extension SocketOptions {
    /// Bytes of a frame on `stream`: a handshake or a subscription, whose every byte costs libzmq a node of
    /// a trie.
    private static let subscriptionBytes = 256

    /// Updates that wait for one observer that does not read: of 3 KB at most, so 60 MB.
    ///
    /// They bridge only the moments in which libzmq's own thread does not come to write: behind it an
    /// observer's process takes 100,000 off the connection, and its client 400,000 changes more. Who is away
    /// for longer sees the gap, and pulls.
    static let updatesPerObserver = 20_000

    /// The options of one of the controller's sockets.
    static func ofController(_ kind: SocketKind) -> SocketOptions {
        var options = SocketOptions.defaults(for: kind)
        if kind == .xpub {
            (options.maxMessageBytes, options.everySubscription) = (subscriptionBytes, true)
            options.sendHighWaterMark = updatesPerObserver
        }
        if kind == .router {
            (options.sendHighWaterMark, options.receiveHighWaterMark) = (100_000, 100_000)
        }
        return options
    }
}
