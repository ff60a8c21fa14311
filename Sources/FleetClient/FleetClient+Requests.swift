public import FleetProtocol
import FleetTime

/// Requests to the controller.
///
/// Requests carry `credentials`, or those of the user who has logged in. `patience` is the timeout. All
/// throw `refused`, `noAnswer`, `noController`, `badReply`, `unexpectedReply`, `tooManyRequests`, `closed`,
/// or `cancelled` when the waiting task is cancelled. The client repeats a request that only reads after a
/// new connection. It sends a log-in, a log-out and a fault once. It repeats what a busy controller refused
/// after the pause that the controller named, if there is time; otherwise it throws the refusal.
extension FleetClient {
    /// The maximum number of passes of a snapshot; a restart of the controller during a pass starts another.
    private static let snapshotTries = 5

    /// Opens a session and makes its credentials the client's own.
    public func login(
        email: Email, password: Password, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let opened = try await openSession(email: email, password: password, patience: patience)
        credentials = Credentials(user: opened.session.email, token: opened.token)
        return opened
    }

    /// Ends the client's session, or every session of its user; requests in flight continue.
    ///
    /// - Returns: The number of ended sessions.
    @discardableResult
    public func logout(
        everywhere: Bool, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> Int {
        let leaving = credentials
        let reply = try await ask(.logout(everywhere: everywhere), patience: patience)
        guard case .signedOut(let sessions) = reply else { throw .unexpectedReply }
        // A log-in during the request may have replaced the credentials.
        if credentials == leaving { credentials = nil }
        return Int(sessions)
    }

    /// Opens a session without changing the client's own credentials.
    ///
    /// - Parameter source: The origin of the log-in, for a program that logs in for many users.
    public nonisolated func openSession(
        email: Email, password: Password, source: LoginSource? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let reply = try await ask(
            .login(email: email, password: password, source: source), token: nil, patience: patience)
        guard case .session(let session, let token) = reply else { throw .unexpectedReply }
        return (session, token)
    }

    /// Ends the session of a token; requests in flight continue.
    public nonisolated func closeSession(
        _ token: Token, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) {
        let reply = try await ask(.logout(everywhere: false), token: token, patience: patience)
        guard case .signedOut = reply else { throw .unexpectedReply }
    }

    /// Returns the session of a token or an API key.
    ///
    /// - Throws: Also `refused` with `unauthenticated` for an unknown token.
    public nonisolated func who(
        has token: Token, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> Session {
        guard case .who(let session) = try await ask(.who, token: token, patience: patience) else {
            throw .unexpectedReply
        }
        return session
    }

    /// Sends a command to a device, and waits for its outcome.
    ///
    /// The client repeats the command under its request ID: after a second of silence, after a new
    /// connection, and after the pause that a busy controller named. The wait ends 250 ms after the
    /// command's deadline at the latest: with an outcome of `unknown`, with `refused` if every copy was
    /// refused, or with `noController` if none was sent. When the task is cancelled, the client cancels the
    /// command, for which it waits 2 s at most; a command that was never sent ends as `cancelled` at once.
    ///
    /// - Throws: `refused` only if no copy can still be on its way.
    public nonisolated func perform(
        _ command: Command, as credentials: Credentials? = nil
    ) async throws(FleetError) -> CommandEnd {
        if Task.isCancelled { return .cancel(.cancelled) }
        return try await carryThrough(command, as: try await orOwn(credentials))
    }

    /// Toggles a device under a new request ID, and waits for the outcome; otherwise as
    /// ``perform(_:as:)``.
    ///
    /// - Parameter patience: The time until the command's deadline; above zero, at most
    ///   ``Limits/longestPatience``.
    public func toggle(
        _ device: DeviceID, as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> CommandEnd {
        let requestID = RequestID(at: clock().wall, using: &generator)
        return try await perform(
            Command(requestID: requestID, device: device, kind: .toggle, patience: patience), as: credentials)
    }

    /// Cancels a request, if there is still time.
    ///
    /// - Parameter patience: The time that the device has for its answer; above zero, at most
    ///   ``Limits/longestPatience``. The wait lasts 250 ms more.
    public nonisolated func cancel(
        _ requestID: RequestID, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> CancelAnswer {
        let reply = try await ask(.cancel(requestID, patience: patience), as: credentials, patience: patience)
        guard case .cancel(requestID, let answer) = reply else { throw .unexpectedReply }
        return answer
    }

    /// Returns the outcome of a request.
    public nonisolated func outcome(
        of requestID: RequestID, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> OutcomeReport {
        let reply = try await ask(.outcome(requestID), as: credentials, patience: patience)
        guard case .outcome(let report) = reply, report.requestID == requestID else { throw .unexpectedReply }
        return report
    }

    /// Returns the account's devices from a slot on, as many as fit in one message.
    ///
    /// - Parameter end: The slot to stop before at the latest; 0 for none.
    public nonisolated func snapshotChunk(
        from cursor: UInt32, to end: UInt32 = 0, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SnapshotChunk {
        let reply = try await ask(.snapshot(cursor: cursor, end: end), as: credentials, patience: patience)
        guard case .snapshot(let chunk) = reply else { throw .unexpectedReply }
        return chunk
    }

    /// Returns all devices of the account, chunk by chunk; `patience` is for each chunk.
    ///
    /// - Throws: Also `unexpectedReply` for chunks that lead nowhere, and `noAnswer` when the controller was
    ///   restarted in each of five passes.
    public func devices(
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> FleetSnapshot {
        let startedAt = clock().monotonic
        for _ in 0..<Self.snapshotTries {
            if let snapshot = try await pullSnapshot(patience: patience) { return snapshot }
        }
        throw .noAnswer(waited: startedAt.duration(to: clock().monotonic))
    }

    /// Returns the numbers of devices and requests of the account's fleet.
    public nonisolated func status(
        as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> StatusReport {
        let reply = try await ask(.status, as: credentials, patience: patience)
        guard case .status(let report) = reply else { throw .unexpectedReply }
        return report
    }

    /// Returns the counters of the controller and of all nodes with devices of the account, chunk by chunk.
    ///
    /// - Parameter patience: For each chunk.
    public nonisolated func counterReport(
        as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> CounterReport {
        var nodes: [CounterReport.Node] = []
        var cursor: UInt32 = 0
        // No controller has more nodes.
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

    /// Reads the requests of the account that ended in a recent period, chunk by chunk.
    ///
    /// - Parameters:
    ///   - back: The length of the period; above zero, at most ``Limits/longestHistory``.
    ///   - patience: The timeout for each chunk.
    ///   - body: Receives each chunk.
    /// - Throws: Also `unexpectedReply` for chunks that lead nowhere.
    public nonisolated func readHistory(
        back: Duration, as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience,
        _ body: (HistoryChunk) async -> Void
    ) async throws(FleetError) {
        var cursor: UInt32 = 0
        while true {
            let reply = try await ask(
                .history(back: back, cursor: cursor), as: credentials, patience: patience)
            guard case .history(let chunk) = reply else { throw .unexpectedReply }
            await body(chunk)
            guard !chunk.isLast else { return }
            guard chunk.nextCursor > cursor else { throw .unexpectedReply }
            cursor = chunk.nextCursor
        }
    }

    /// Injects a fault into devices, ``Limits/faultDevices`` of them at most.
    ///
    /// - Parameters:
    ///   - duration: The fault's duration, for faults that have one; at most ``Limits/longestFault``.
    ///   - delay: The delay of slow devices; at most ``Limits/longestDelay``.
    /// - Returns: The number of devices that can be reached and will get it.
    public func inject(
        _ fault: Fault, into devices: [DeviceID], for duration: Duration, delay: Duration = .zero,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> Int {
        let body = ClientRequest.Body.inject(fault, devices: devices, duration: duration, delay: delay)
        guard case .injected(let count) = try await ask(body, patience: patience) else {
            throw .unexpectedReply
        }
        return Int(count)
    }

    /// Returns the active faults of the account's devices; for operators.
    public func faults(patience: Duration = Limits.defaultPatience) async throws(FleetError) -> FaultList {
        guard case .faults(let list) = try await ask(.faults, patience: patience) else {
            throw .unexpectedReply
        }
        return list
    }

    /// Ends the faults of devices.
    ///
    /// - Parameter devices: ``Limits/faultDevices`` of them at most; none for all that can be reached.
    /// - Returns: The number of healed devices, and the nodes that answered.
    public func heal(
        _ devices: [DeviceID], patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.heal(devices), patience: patience) else {
            throw .unexpectedReply
        }
        return report
    }

    /// Changes the scenario of every node that can be reached.
    ///
    /// - Parameter scenario: A name, or the absolute path of a file that nodes can read.
    /// - Returns: The nodes that changed it.
    public func changeScenario(
        to scenario: String, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.scenario(scenario), patience: patience) else {
            throw .unexpectedReply
        }
        return report
    }

    /// Retires devices: they leave the fleet for good.
    ///
    /// - Parameter devices: ``Limits/faultDevices`` of them at most, each among the last of its node; an
    ///   empty array asks whether the user may, and is answered when earlier retirements are stored.
    /// - Returns: The number of retired devices, and the nodes that answered.
    public func retire(
        _ devices: [DeviceID], patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.retire(devices), patience: patience) else {
            throw .unexpectedReply
        }
        return report
    }

    /// One pass over the slots; nil if the controller was restarted during it.
    private func pullSnapshot(patience: Duration) async throws(FleetError) -> FleetSnapshot? {
        let first = try await snapshotChunk(from: 0, patience: patience)
        var last = first
        var nodes = first.nodes
        var groups = first.groups
        var rows = first.rows
        while !last.isLast {
            let cursor = last.nextCursor
            last = try await snapshotChunk(from: cursor, patience: patience)
            guard last.epoch == first.epoch else { return nil }
            guard last.isLast || last.nextCursor > cursor else { throw .unexpectedReply }
            nodes += last.nodes
            groups += last.groups
            rows += last.rows
        }
        return FleetSnapshot(
            epoch: first.epoch, sequence: first.sequence, nodes: nodes, groups: groups, rows: rows,
            isSettling: last.isSettling)
    }
}
