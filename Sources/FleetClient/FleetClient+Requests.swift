public import FleetProtocol
import Stepping

/// What can be asked of the controller.
///
/// Each waits ``Limits/defaultPatience`` at most unless it says otherwise, and throws `refused`, `noAnswer`,
/// `noController`, `badReply`, `unexpectedReply`, `tooManyRequests`, `closed`, or `cancelled` when its task is.
extension FleetClient {
    /// How often a snapshot is begun anew because the controller was restarted meanwhile.
    private static let snapshotTries = 5

    /// Opens a session, and asks in its name from then on.
    public func login(
        email: Email, password: Password
    ) async throws(FleetError) -> (session: Session, token: Token) {
        guard case .session(let session, let token) = try await ask(.login(email: email, password: password))
        else { throw .unexpectedReply }
        credentials = Credentials(user: session.email, token: token)
        return (session, token)
    }

    /// Ends this session, or every session of this user; what was asked in its name goes on.
    ///
    /// - Returns: How many sessions ended.
    @discardableResult
    public func logout(everywhere: Bool) async throws(FleetError) -> Int {
        let leaving = credentials
        guard case .signedOut(let sessions) = try await ask(.logout(everywhere: everywhere)) else {
            throw .unexpectedReply
        }
        // Somebody may have logged in meanwhile.
        if credentials == leaving { credentials = nil }
        return Int(sessions)
    }

    /// Has a device changed, and waits for what becomes of it.
    ///
    /// The message leaves again under the same id after a second of silence and after a new connection. When
    /// its time is over, and 250 ms more, the end is an outcome of `unknown`, or `noController` if it never
    /// left. When the task is cancelled the command is taken back, which has 2 s; one that never left just
    /// ends as `cancelled`.
    ///
    /// - Throws: `refused` only where no copy can still be on its way.
    public func perform(_ command: Command) async throws(FleetError) -> CommandEnd {
        if Task.isCancelled { return .cancel(.cancelled) }
        return try await carryThrough(command)
    }

    /// Takes a request back, if there is still time.
    ///
    /// - Parameter patience: How long the device is given to say; above zero, at most
    ///   ``Limits/longestPatience``.
    public func cancel(
        _ requestID: RequestID, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> CancelAnswer {
        let reply = try await ask(.cancel(requestID, patience: patience), patience: patience)
        guard case .cancel(requestID, let answer) = reply else { throw .unexpectedReply }
        return answer
    }

    /// What became of a request.
    public func outcome(of requestID: RequestID) async throws(FleetError) -> OutcomeReport {
        guard case .outcome(let report) = try await ask(.outcome(requestID)), report.requestID == requestID
        else { throw .unexpectedReply }
        return report
    }

    /// The account's devices from a slot on, as many as fit in one message.
    public func snapshotChunk(from cursor: UInt32) async throws(FleetError) -> SnapshotChunk {
        guard case .snapshot(let chunk) = try await ask(.snapshot(cursor: cursor)) else {
            throw .unexpectedReply
        }
        return chunk
    }

    /// All devices of the account, chunk by chunk, each with its own time to wait.
    ///
    /// - Throws: Also `unexpectedReply` for chunks that lead nowhere, and `noAnswer` when the controller was
    ///   restarted five times meanwhile.
    public func devices() async throws(FleetError) -> FleetSnapshot {
        let startedAt = clock().monotonic
        for _ in 0..<Self.snapshotTries {
            if let snapshot = try await pullSnapshot() { return snapshot }
        }
        throw .noAnswer(waited: startedAt.duration(to: clock().monotonic))
    }

    /// How the fleet is.
    public func status() async throws(FleetError) -> StatusReport {
        guard case .status(let report) = try await ask(.status) else { throw .unexpectedReply }
        return report
    }

    /// Makes something go wrong with devices, ``Limits/faultDevices`` of them at most.
    ///
    /// - Parameter duration: How long it lasts, where it does; at most ``Limits/longestFault``.
    /// - Returns: To how many devices it is on its way.
    public func inject(
        _ fault: Fault, into devices: [DeviceID], for duration: Duration
    ) async throws(FleetError) -> Int {
        let reply = try await ask(.inject(fault, devices: devices, duration: duration))
        guard case .injected(let count) = reply else { throw .unexpectedReply }
        return Int(count)
    }

    /// One pass over the slots; nil when the controller was restarted meanwhile.
    private func pullSnapshot() async throws(FleetError) -> FleetSnapshot? {
        let first = try await snapshotChunk(from: 0)
        var last = first
        var nodes = first.nodes
        var rows = first.rows
        while !last.isLast {
            let cursor = last.nextCursor
            last = try await snapshotChunk(from: cursor)
            guard last.epoch == first.epoch else { return nil }
            guard last.isLast || last.nextCursor > cursor else { throw .unexpectedReply }
            nodes += last.nodes
            rows += last.rows
        }
        return FleetSnapshot(epoch: first.epoch, sequence: first.sequence, nodes: nodes, rows: rows)
    }
}
