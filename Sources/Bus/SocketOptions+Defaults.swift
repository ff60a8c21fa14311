extension SocketOptions {
    /// The values to start from for a kind of socket.
    ///
    /// - Parameters:
    ///   - kind: The kind of socket.
    ///   - generator: Chooses the first wait before a reconnect, from 50 to 150 ms, so that the peers of a
    ///     server that restarts do not come back in one burst.
    public static func defaults(
        for kind: SocketKind, using generator: inout some RandomNumberGenerator
    ) -> SocketOptions {
        var options = SocketOptions()
        options.reconnect.interval = .milliseconds(Int.random(in: 50...150, using: &generator))
        switch kind {
        case .router:
            options.routerMandatory = true
        case .dealer, .req, .push:
            options.immediate = true
        case .pub, .xpub:
            options.sendHighWaterMark = 100_000
        case .sub:
            // A SUB re-sends its subscriptions when it reconnects, and loses those above its send mark.
            options.sendHighWaterMark = 0
        case .pull, .pair:
            break
        }
        return options
    }

    /// The values to start from for a kind of socket, with the system's randomness.
    public static func defaults(for kind: SocketKind) -> SocketOptions {
        var generator = SystemRandomNumberGenerator()
        return defaults(for: kind, using: &generator)
    }
}
