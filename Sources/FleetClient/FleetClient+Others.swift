public import FleetProtocol

/// What a program asks that has a connection of its own and acts for many: each request says for whom.
extension FleetClient {
    /// Opens a session for somebody, and leaves in whose name the client asks as it is.
    ///
    /// - Parameter source: Who is behind it, for a program that logs in for many.
    public nonisolated func openSession(
        email: Email, password: Password, source: LoginSource? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let reply = try await ask(
            .login(email: email, password: password, source: source), token: nil, patience: patience)
        guard case .session(let session, let token) = reply else { throw .unexpectedReply }
        return (session, token)
    }

    /// Ends somebody's session; what was asked in its name goes on.
    public nonisolated func closeSession(
        _ token: Token, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) {
        let reply = try await ask(.logout(everywhere: false), token: token, patience: patience)
        guard case .signedOut = reply else { throw .unexpectedReply }
    }

    /// Whom a token, or a key, stands for.
    ///
    /// - Throws: Also `refused` with `unauthenticated` where that is nobody.
    public nonisolated func who(
        has token: Token, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> Session {
        guard case .who(let session) = try await ask(.who, token: token, patience: patience) else {
            throw .unexpectedReply
        }
        return session
    }

    /// Has a device changed in somebody's name; otherwise as ``perform(_:)``.
    public nonisolated func perform(
        _ command: Command, as credentials: Credentials
    ) async throws(FleetError) -> CommandEnd {
        if Task.isCancelled { return .cancel(.cancelled) }
        return try await carryThrough(command, as: credentials)
    }

    /// Takes a request back in somebody's name; otherwise as ``cancel(_:patience:)``.
    public nonisolated func cancel(
        _ requestID: RequestID, as credentials: Credentials, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> CancelAnswer {
        let reply = try await ask(
            .cancel(requestID, patience: patience), as: credentials, patience: patience)
        guard case .cancel(requestID, let answer) = reply else { throw .unexpectedReply }
        return answer
    }

    /// The outcome of a request in a user's name; otherwise as ``outcome(of:patience:)``.
    public nonisolated func outcome(
        of requestID: RequestID, as credentials: Credentials, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> OutcomeReport {
        let reply = try await ask(.outcome(requestID), as: credentials, patience: patience)
        guard case .outcome(let report) = reply, report.requestID == requestID else { throw .unexpectedReply }
        return report
    }

    /// Some of the devices that somebody sees; otherwise as ``snapshotChunk(from:to:patience:)``.
    public nonisolated func snapshotChunk(
        from cursor: UInt32, to end: UInt32 = 0, as credentials: Credentials,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SnapshotChunk {
        let reply = try await ask(
            .snapshot(cursor: cursor, end: end), as: credentials, patience: patience)
        guard case .snapshot(let chunk) = reply else { throw .unexpectedReply }
        return chunk
    }

    /// How the fleet is that somebody sees.
    public nonisolated func status(
        as credentials: Credentials, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> StatusReport {
        let reply = try await ask(.status, as: credentials, patience: patience)
        guard case .status(let report) = reply else { throw .unexpectedReply }
        return report
    }

    /// What the controller and the nodes that somebody sees have counted: all nodes, chunk by chunk.
    ///
    /// - Parameter patience: For each chunk.
    public nonisolated func counterReport(
        as credentials: Credentials, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> CounterReport {
        var nodes: [CounterReport.Node] = []
        var cursor: UInt32 = 0
        // No controller has more to tell.
        for _ in 0...Limits.controllerNodes / Limits.counterNodes {
            let reply = try await ask(.counters(cursor: cursor), as: credentials, patience: patience)
            guard case .counters(let report) = reply else { throw .unexpectedReply }
            nodes += report.nodes
            cursor = report.nextCursor
            guard report.isLast else { continue }
            return CounterReport(
                controller: report.controller, nodes: nodes, nextCursor: cursor, isLast: true)
        }
        throw .unexpectedReply
    }

    /// Reads which requests ended in the last while that a user sees, chunk by chunk.
    ///
    /// - Parameters:
    ///   - back: How far back; above zero, at most ``Limits/longestHistory``.
    ///   - patience: For each chunk.
    ///   - body: Takes each chunk; the last one says so.
    /// - Throws: Also `unexpectedReply` for chunks that lead nowhere.
    public nonisolated func readHistory(
        back: Duration, as credentials: Credentials, patience: Duration = Limits.defaultPatience,
        _ body: (HistoryChunk) async -> Void
    ) async throws(FleetError) {
        var cursor: UInt32 = 0
        while true {
            let reply = try await ask(.history(back: back, cursor: cursor), as: credentials, patience: patience)
            guard case .history(let chunk) = reply else { throw .unexpectedReply }
            await body(chunk)
            guard !chunk.isLast else { return }
            guard chunk.nextCursor > cursor else { throw .unexpectedReply }
            cursor = chunk.nextCursor
        }
    }
}
