public import Bus
public import FleetProtocol

/// Asks a fleet on another machine for the rights of this machine's key.
public enum JoinClient {
    /// The wait for one reply, after which the request is sent again.
    private static let attempt = Duration.seconds(1)

    /// Exchanges a join token for rights, with a thread and a context of its own.
    ///
    /// The request is repeated until a reply comes: the fleet answers the same key as before.
    ///
    /// - Parameters:
    ///   - token: The join token.
    ///   - endpoint: The fleet's socket `join`.
    ///   - security: The keys of the fleet and of this machine.
    /// - Returns: The reply; nil if none came in time.
    /// - Throws: `BusError` if no socket can be created, or `WireError` for a malformed reply.
    public static func ask(
        _ token: Token, at endpoint: Endpoint, security: SocketSecurity, timeout: Duration
    ) async throws -> JoinReply? {
        try await Loop.withThread(name: "join") { loop in
            var options = SocketOptions.defaults(for: .dealer)
            options.secure(security)
            let socket = try await AsyncSocket(.dealer, on: loop, options: options) {
                try $0.connect(endpoint)
            }
            let end = ContinuousClock.now + timeout
            let request = [[], JoinRequest(token: token).wireBytes]
            var reply: JoinReply?
            while reply == nil, ContinuousClock.now < end {
                guard try await socket.send(request, within: attempt) == .sent,
                    let frames = try await socket.receive(within: attempt), frames.count == 2
                else { continue }
                let received = try JoinReply(wireBytes: frames[1])
                guard case .refusal(.busy(let wait)) = received else {
                    reply = received
                    continue
                }
                // No message comes: this only waits.
                _ = try await socket.receive(within: wait)
            }
            await socket.close()
            return reply
        }
    }
}
