public import FleetProtocol

/// Requests to the controller.
///
/// Requests carry `credentials`, or those of the user who has logged in. `timeout` is the timeout. All
/// throw `refused`, `noReply`, `noController`, `badReply`, `unexpectedReply`, `tooManyRequests`, `closed`,
/// or `cancelled` when the waiting task is cancelled. The client repeats a request that only reads after a
/// new connection. It sends a log-in, a log-out and a fault once. It repeats what a busy controller refused
/// after the pause that the controller named, if there is time; otherwise it throws the refusal.
extension FleetClient {
    /// The maximum number of passes of a snapshot; a restart of the controller during a pass starts another.
    private static let snapshotTries = 5

    /// Opens a session and makes its credentials the client's own.
    public func login(
        email: Email, password: Password, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let opened = try await openSession(email: email, password: password, timeout: timeout)
        credentials = Credentials(user: opened.session.email, token: opened.token)
        return opened
    }

    /// Ends the client's session, or every session of its user; requests in flight continue.
    ///
    /// - Returns: The number of ended sessions.
    @discardableResult
    public func logout(
        everywhere: Bool, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> Int {
        let former = credentials
        let reply = try await ask(.logout(everywhere: everywhere), timeout: timeout)
        guard case .signedOut(let sessions) = reply else { throw .unexpectedReply }
        // A log-in during the request may have replaced the credentials.
        if credentials == former { credentials = nil }
        return Int(sessions)
    }

    /// Opens a session without changing the client's own credentials.
    ///
    /// - Parameter source: The origin of the log-in, for a program that logs in for many users; nil for none.
    public nonisolated func openSession(
        email: Email, password: Password, source: LoginSource? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> (session: Session, token: Token) {
        let reply = try await ask(
            .login(email: email, password: password, source: source), token: nil, timeout: timeout)
        guard case .session(let session, let token) = reply else { throw .unexpectedReply }
        return (session, token)
    }

    /// Ends the session of a token; requests in flight continue.
    public nonisolated func closeSession(
        _ token: Token, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) {
        let reply = try await ask(.logout(everywhere: false), token: token, timeout: timeout)
        guard case .signedOut = reply else { throw .unexpectedReply }
    }

    /// Returns the session of a token or an API key.
    ///
    /// - Throws: Also `refused` with `unauthenticated` for an unknown token.
    public nonisolated func who(
        has token: Token, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> Session {
        guard case .who(let session) = try await ask(.who, token: token, timeout: timeout) else {
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
    /// - Parameters:
    ///   - command: The command with its request ID and the time until its deadline.
    ///   - credentials: The caller's credentials; nil for the client's own.
    /// - Throws: `refused` only if no copy can still be on its way.
    public nonisolated func perform(
        _ command: Command, as credentials: Credentials? = nil
    ) async throws(FleetError) -> CommandCompletion {
        if Task.isCancelled { return .cancel(.cancelled) }
        return try await carryThrough(command, as: try await orOwn(credentials))
    }

    /// Toggles a device under a new request ID, and waits for the outcome; otherwise as
    /// ``perform(_:as:)``.
    ///
    /// - Parameters:
    ///   - credentials: The caller's credentials; nil for the client's own.
    ///   - timeout: The time until the command's deadline; above zero, at most `Limits.longestTimeout`.
    public func toggle(
        _ device: DeviceID, as credentials: Credentials? = nil, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> CommandCompletion {
        let requestID = RequestID(at: clock().wall, using: &generator)
        return try await perform(
            Command(requestID: requestID, device: device, kind: .toggle, timeout: timeout), as: credentials)
    }

    /// Cancels a request, if there is still time.
    ///
    /// - Parameters:
    ///   - requestID: The ID of the request to cancel.
    ///   - credentials: The caller's credentials; nil for the client's own.
    ///   - timeout: The time that the device has for its answer; above zero, at most
    ///     `Limits.longestTimeout`. The wait lasts 250 ms more.
    public nonisolated func cancel(
        _ requestID: RequestID, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> CancelReply {
        let reply = try await ask(.cancel(requestID, timeout: timeout), as: credentials, timeout: timeout)
        guard case .cancel(requestID, let answer) = reply else { throw .unexpectedReply }
        return answer
    }

    /// Returns the outcome of a request.
    public nonisolated func outcome(
        of requestID: RequestID, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> OutcomeReport {
        let reply = try await ask(.outcome(requestID), as: credentials, timeout: timeout)
        guard case .outcome(let report) = reply, report.requestID == requestID else { throw .unexpectedReply }
        return report
    }

    /// Returns the account's devices from a slot on, as many as fit in one message.
    ///
    /// The cursor 0 is the start of the fleet. The chunk stops before `end` at the latest, unless that is 0.
    public nonisolated func snapshotChunk(
        from cursor: UInt32, to end: UInt32 = 0, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> SnapshotChunk {
        let reply = try await ask(.snapshot(cursor: cursor, end: end), as: credentials, timeout: timeout)
        guard case .snapshot(let chunk) = reply else { throw .unexpectedReply }
        return chunk
    }

    /// Returns all devices of the account, chunk by chunk.
    ///
    /// - Throws: Also `unexpectedReply` for chunks that lead nowhere or have more than the first one
    ///   announced, and `noReply` when the controller was restarted in each of five passes.
    public func devices(timeout: Duration = Limits.defaultTimeout) async throws(FleetError) -> FleetSnapshot {
        let startedAt = clock().monotonic
        for _ in 0..<Self.snapshotTries {
            if let snapshot = try await pullSnapshot(timeout: timeout) { return snapshot }
        }
        throw .noReply(waited: startedAt.duration(to: clock().monotonic))
    }

    /// Returns the numbers of devices and requests of the account's fleet.
    public nonisolated func status(
        as credentials: Credentials? = nil, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> StatusReport {
        let reply = try await ask(.status, as: credentials, timeout: timeout)
        guard case .status(let report) = reply else { throw .unexpectedReply }
        return report
    }

    /// Returns the counters of the controller and of all nodes with devices of the account, chunk by chunk.
    public nonisolated func counterReport(
        as credentials: Credentials? = nil, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> CounterReport {
        var nodes: [CounterReport.Node] = []
        var cursor: UInt32 = 0
        // No controller has more nodes.
        for _ in 0...Limits.controllerNodes / Limits.counterNodes {
            let reply = try await ask(.counters(cursor: cursor), as: credentials, timeout: timeout)
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
    /// The period is above zero, and at most `Limits.longestHistory`. `body` receives each chunk.
    ///
    /// - Throws: Also `unexpectedReply` for chunks that lead nowhere.
    public nonisolated func readHistory(
        back: Duration, as credentials: Credentials? = nil, timeout: Duration = Limits.defaultTimeout,
        _ body: (HistoryChunk) async -> Void
    ) async throws(FleetError) {
        var cursor: UInt32 = 0
        while true {
            let reply = try await ask(.history(back: back, cursor: cursor), as: credentials, timeout: timeout)
            guard case .history(let chunk) = reply else { throw .unexpectedReply }
            await body(chunk)
            guard !chunk.isLast else { return }
            guard chunk.nextCursor > cursor else { throw .unexpectedReply }
            cursor = chunk.nextCursor
        }
    }

    /// One pass over the slots; nil if the controller was restarted during it.
    private func pullSnapshot(timeout: Duration) async throws(FleetError) -> FleetSnapshot? {
        let first = try await snapshotChunk(from: 0, timeout: timeout)
        var bounds = SnapshotBounds(announcedBy: first)
        guard bounds.count(first) else { throw .unexpectedReply }
        var last = first
        var nodes = first.nodes
        var groups = first.groups
        var rows = first.rows
        while !bounds.isLast(last) {
            let cursor = last.nextCursor
            last = try await snapshotChunk(from: cursor, timeout: timeout)
            guard last.epoch == first.epoch else { return nil }
            guard last.isLast || last.nextCursor > cursor, bounds.count(last) else { throw .unexpectedReply }
            nodes += last.nodes
            groups += last.groups
            rows += last.rows
        }
        return FleetSnapshot(
            epoch: first.epoch, sequence: first.sequence, nodes: nodes, groups: groups, rows: rows,
            isSettling: last.isSettling)
    }
}

/// All devices of an account, pulled chunk by chunk.
public struct FleetSnapshot: Equatable, Sendable {
    /// The controller's start number.
    public let epoch: Epoch
    /// The account's newest update at the time of the first chunk: rows may be newer, never older.
    public let sequence: StreamSequence
    /// Every node with devices of the account, in the order of their indices.
    public let nodes: [SnapshotChunk.Node]
    /// The devices, in the order of their slots.
    public let rows: [SnapshotChunk.Row]
    /// Every group of the account, in the order of their numbers.
    public let groups: [SnapshotChunk.Group]
    /// Whether the controller had just started, so that devices may be missing.
    public let isSettling: Bool

    private let nodesByIndex: [NodeIndex: SnapshotChunk.Node]
    private let groupsByNumber: [GroupNumber: DeviceGroup]

    /// A snapshot with the given values; of two entries for one node, the later counts.
    public init(
        epoch: Epoch, sequence: StreamSequence, nodes: [SnapshotChunk.Node],
        groups: [SnapshotChunk.Group] = [], rows: [SnapshotChunk.Row], isSettling: Bool = false
    ) {
        let latest = Dictionary(nodes.map { ($0.index, $0) }) { _, later in later }
        (self.epoch, self.sequence) = (epoch, sequence)
        self.nodes = latest.values.sorted { $0.index < $1.index }
        (self.groups, self.rows, self.isSettling) = (groups, rows, isSettling)
        nodesByIndex = latest
        groupsByNumber = Dictionary(groups.map { ($0.number, $0.group) }) { _, later in later }
    }

    /// A device's group; nil for a number that no chunk named.
    public func group(of row: SnapshotChunk.Row) -> DeviceGroup? { groupsByNumber[row.group] }

    /// A device's node; nil for an index that no chunk named.
    public func node(of row: SnapshotChunk.Row) -> SnapshotChunk.Node? { nodesByIndex[row.node] }

    /// Returns a device's presence: its node's, combined with its own; unknown for an unnamed node.
    public func presence(of row: SnapshotChunk.Row) -> Presence {
        let node = nodesByIndex[row.node]?.presence ?? Presence(.unknown, since: row.asOf)
        return Presence.joined(node: node, isConnected: row.isConnected, connectedSince: row.connectedSince)
    }
}
