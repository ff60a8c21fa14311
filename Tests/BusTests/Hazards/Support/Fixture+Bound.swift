import Bus

extension Fixture {
    /// A socket bound to a port of this machine that the system chose, and its endpoint.
    static func bound(
        _ kind: SocketKind, options: SocketOptions? = nil
    ) throws -> (socket: Socket, endpoint: Endpoint) {
        let socket = try Socket(kind, context: context, options: options)
        try socket.bind(.tcp(host: "127.0.0.1", port: 0))
        guard let endpoint = try socket.lastEndpoint else { throw NothingReceived() }
        return (socket, endpoint)
    }
}
