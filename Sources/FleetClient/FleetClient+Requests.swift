public import FleetProtocol
import Stepping

/// What can be asked of the controller.
///
/// `patience` is how long one waits at most. All throw `refused`, `noAnswer`, `noController`, `badReply`,
/// `unexpectedReply`, `tooManyRequests`, `closed`, or `cancelled` when the task that waits is. Questions
/// leave again after a new connection; a log-in, a log-out and a fault leave once. Whatever a busy controller
/// refused leaves again when that has asked for it, if there is time; otherwise the refusal is thrown.
extension FleetClient {
    /// How often a snapshot is begun anew because the controller was restarted meanwhile.
    private static let snapshotTries = 5

    /// Opens a session, and asks in its name from then on.
    public func login(
        email: Email, password: Password, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let opened = try await openSession(email: email, password: password, patience: patience)
        credentials = Credentials(user: opened.session.email, token: opened.token)
        return opened
    }

    /// Ends the session, or every one of its user; what was asked in its name goes on.
    ///
    /// - Returns: How many sessions ended.
    @discardableResult
    public func logout(
        everywhere: Bool, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> Int {
        let leaving = credentials
        let reply = try await ask(.logout(everywhere: everywhere), patience: patience)
        guard case .signedOut(let sessions) = reply else { throw .unexpectedReply }
        // Somebody may have logged in meanwhile.
        if credentials == leaving { credentials = nil }
        return Int(sessions)
    }

    /// Has a device changed, and waits for what becomes of it.
    ///
    /// The message leaves again under the same id after a second of silence, after a new connection, and when
    /// a controller that was busy has asked for it. When its time is over, and 250 ms more, the end is an
    /// outcome of `unknown`, `refused` if every copy was, or `noController` if it never left. When the task
    /// is cancelled the command is taken back, which has 2 s; one of which no copy is on its way just ends
    /// as `cancelled`.
    ///
    /// - Throws: `refused` only where no copy can still be on its way.
    public func perform(_ command: Command) async throws(FleetError) -> CommandEnd {
        if Task.isCancelled { return .cancel(.cancelled) }
        return try await carryThrough(command, as: try requireCredentials())
    }

    /// Takes a request back, if there is still time.
    ///
    /// - Parameter patience: How long the device is given to say; above zero, at most
    ///   ``Limits/longestPatience``. The wait lasts 250 ms more.
    public func cancel(
        _ requestID: RequestID, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> CancelAnswer {
        try await cancel(requestID, as: try requireCredentials(), patience: patience)
    }

    /// What became of a request.
    public func outcome(
        of requestID: RequestID, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> OutcomeReport {
        try await outcome(of: requestID, as: try requireCredentials(), patience: patience)
    }

    /// The account's devices from a slot on, as many as fit in one message.
    ///
    /// - Parameter end: The slot to stop before at the latest; 0 for none.
    public func snapshotChunk(
        from cursor: UInt32, to end: UInt32 = 0, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SnapshotChunk {
        try await snapshotChunk(from: cursor, to: end, as: try requireCredentials(), patience: patience)
    }

    /// All devices of the account, chunk by chunk, each with its own time to wait.
    ///
    /// - Throws: Also `unexpectedReply` for chunks that lead nowhere, and `noAnswer` when the controller was
    ///   restarted five times meanwhile.
    public func devices(
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> FleetSnapshot {
        let startedAt = clock().monotonic
        for _ in 0..<Self.snapshotTries {
            if let snapshot = try await pullSnapshot(patience: patience) { return snapshot }
        }
        throw .noAnswer(waited: startedAt.duration(to: clock().monotonic))
    }

    /// How the fleet is.
    public func status(
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> StatusReport {
        try await status(as: try requireCredentials(), patience: patience)
    }

    /// Makes something go wrong with devices, ``Limits/faultDevices`` of them at most.
    ///
    /// - Parameters:
    ///   - duration: How long it lasts, where it does; at most ``Limits/longestFault``.
    ///   - delay: How late slow devices are; at most ``Limits/longestDelay``.
    /// - Returns: To how many devices it is on its way.
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

    /// Ends all that goes wrong with devices.
    ///
    /// - Parameter devices: ``Limits/faultDevices`` of them at most; none for all that can be reached.
    /// - Returns: How many got well, and which nodes said so.
    public func heal(
        _ devices: [DeviceID], patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.heal(devices), patience: patience) else {
            throw .unexpectedReply
        }
        return report
    }

    /// Has every node that can be reached go on with another scenario.
    ///
    /// - Parameter scenario: A name, or the absolute path of a file that nodes can read.
    /// - Returns: Which nodes did.
    public func changeScenario(
        to scenario: String, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.scenario(scenario), patience: patience) else {
            throw .unexpectedReply
        }
        return report
    }

    /// Has devices leave the fleet for good.
    ///
    /// - Parameter devices: ``Limits/faultDevices`` of them at most, each among the last of its node; an
    ///   empty array asks whether the user may, and is answered when earlier retirements are stored.
    /// - Returns: How many left, and which nodes said so.
    public func retire(
        _ devices: [DeviceID], patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.retire(devices), patience: patience) else {
            throw .unexpectedReply
        }
        return report
    }

    /// One pass over the slots; nil when the controller was restarted meanwhile.
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
