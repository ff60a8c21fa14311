import Bus
import FleetProtocol

/// The pending requests of a client: which messages to send when, and how each wait ends. A value without
/// socket, clock or task: it receives events with their times, and appends effects. A `send` must be followed
/// by ``sent(_:at:)`` or ``blocked(_:at:)``.
struct PendingRequests: Sendable {
    enum Effect: Equatable, Sendable {
        case send(Correlation, ClientRequest)
        case end(UInt64, Result<Completion, FleetError>)
    }

    static let limit = 4_096
    /// The most times that a request is sent to another cell. Cells that do not agree would send it in
    /// circles.
    private static let mostMoves = 3

    private struct Entry: Sendable {
        enum Kind: Sendable {
            case query(Query)
            case command(CommandAttempt)
        }

        var kind: Kind
        let token: Token?
        let isUnattended: Bool
        /// The number of times that it was sent to another cell.
        var moves = 0
        /// The time of the earliest timer of the request.
        var armedAt: MonotonicTime?
    }

    /// A timer; obsolete unless its request is armed for exactly that time.
    private struct Wakeup: Sendable {
        let number: UInt64
        let due: MonotonicTime
    }

    var endpoint: Endpoint
    /// Whether the controller denied the key at the last attempt to connect.
    var isDenied = false
    private var entries: [UInt64: Entry] = [:]
    private var lastNumber: UInt64 = 0
    private var timers = Timers<Wakeup>()
    private var generator: SeededGenerator
    private var isConnected = false
    private(set) var counters = ClientCounters()

    init(endpoint: Endpoint, generator: SeededGenerator) {
        (self.endpoint, self.generator) = (endpoint, generator)
    }

    var count: Int { entries.count }

    /// The latest time of the next ``turn(at:into:)``; nil if no request depends on the time.
    var nextDue: MonotonicTime? { timers.nextDue }

    // MARK: - Events

    mutating func begin(
        _ body: ClientRequest.Body, token: Token?, isUnattended: Bool = false, retry: RetryPolicy? = nil,
        timeout: Duration, at now: MonotonicTime
    ) throws(FleetError) -> UInt64 {
        let query = Query(body, retry: retry ?? body.traits.retry, timeout: timeout, at: now)
        return try add(.query(query), token: token, isUnattended: isUnattended)
    }

    mutating func begin(
        _ command: Command, as credentials: Credentials, at now: MonotonicTime
    ) throws(FleetError) -> UInt64 {
        let timeout = command.timeout ?? Limits.defaultTimeout
        guard timeout > .zero, timeout <= Limits.longestTimeout else {
            throw .refused(.invalid("the time to wait must be above 0 and at most \(Limits.longestTimeout)"))
        }
        let attempt = CommandAttempt(command, of: credentials.user, at: now)
        return try add(.command(attempt), token: credentials.token, isUnattended: credentials.isUnattended)
    }

    mutating func cancel(_ number: UInt64, at now: MonotonicTime, into effects: inout [Effect]) {
        guard var entry = entries[number] else { return }
        guard case .command(var attempt) = entry.kind else {
            return finish(number, .failure(.cancelled), into: &effects)
        }
        let due = attempt.cancel(at: now)
        entry.kind = .command(attempt)
        entries[number] = entry
        carryOut(due, of: number, into: &effects)
        arm(number)
    }

    mutating func sent(_ correlation: Correlation, at now: MonotonicTime) {
        var isRepeat = false
        updateSending(of: correlation) { sending, generator in
            sending.sent(at: now, using: &generator)
            isRepeat = sending.copies > 1
        }
        if isRepeat { counters.resends += 1 }
    }

    mutating func blocked(_ correlation: Correlation, at now: MonotonicTime) {
        let isConnected = isConnected
        updateSending(of: correlation) { sending, _ in sending.blocked(at: now, isConnected: isConnected) }
    }

    /// Handles a new connection: unsent messages may be sent, and unanswered ones are sent again.
    mutating func connected(at now: MonotonicTime) {
        isConnected = true
        for number in entries.keys.sorted() {
            updateSending(of: Correlation(number)) { $0.connected(at: now, using: &$1) }
            updateSending(of: Correlation(number, isCancel: true)) { $0.connected(at: now, using: &$1) }
        }
    }

    /// Handles the loss of the connection: messages wait for the next.
    mutating func disconnected() { isConnected = false }

    mutating func answered(_ reply: ClientReply, at now: MonotonicTime, into effects: inout [Effect]) {
        let correlation = Correlation(wireValue: reply.correlation)
        guard var entry = entries[correlation.number] else {
            counters.unknownReplies += 1
            return
        }
        let due: Due
        switch entry.kind {
        case .query(var query):
            due = query.answered(reply.body, at: now, using: &generator)
            entry.kind = .query(query)
        case .command(var attempt):
            due =
                correlation.isCancel
                ? attempt.cancelReplied(reply.body, at: now, using: &generator)
                : attempt.answered(reply.body, at: now, using: &generator)
            entry.kind = .command(attempt)
        }
        entries[correlation.number] = entry
        carryOut(due, of: correlation.number, into: &effects)
        arm(correlation.number)
    }

    func token(of correlation: Correlation) -> Token? { entries[correlation.number]?.token }

    /// Sends a message again, because the account is in another cell. Returns false for an unknown request,
    /// and for one that was sent to other cells too often.
    mutating func redirect(_ correlation: Correlation, at now: MonotonicTime) -> Bool {
        guard let moves = entries[correlation.number]?.moves, moves < Self.mostMoves else { return false }
        entries[correlation.number]?.moves += 1
        updateSending(of: correlation) { sending, _ in sending.redirected(at: now) }
        return true
    }

    /// Handles bytes that are not a reply. A peer with another protocol version sends only unreadable
    /// replies: every wait then ends.
    mutating func answeredBadly(_ error: WireError, into effects: inout [Effect]) {
        counters.badReplies += 1
        if case .version = error.problem { return finishAll(.badReply(error), into: &effects) }
        finish(Correlation(wireValue: error.correlation).number, .failure(.badReply(error)), into: &effects)
    }

    /// Handles a message without the frames of a reply.
    mutating func answeredShapelessly() { counters.badReplies += 1 }

    mutating func turn(at now: MonotonicTime, into effects: inout [Effect]) {
        while let wakeup = timers.popDue(at: now) {
            let number = wakeup.number
            guard var entry = entries[number], entry.armedAt == wakeup.due else { continue }
            entry.armedAt = nil
            let due: Due
            switch entry.kind {
            case .query(var query):
                due = query.due(at: now)
                entry.kind = .query(query)
            case .command(var attempt):
                due = attempt.due(at: now)
                entry.kind = .command(attempt)
            }
            entries[number] = entry
            carryOut(due, of: number, into: &effects)
            arm(number)
        }
    }

    mutating func finishAll(_ error: FleetError, into effects: inout [Effect]) {
        for number in entries.keys.sorted() { finish(number, .failure(error), into: &effects) }
    }
}

extension PendingRequests {
    private mutating func add(
        _ kind: Entry.Kind, token: Token?, isUnattended: Bool
    ) throws(FleetError) -> UInt64 {
        guard entries.count < Self.limit else { throw .tooManyRequests }
        lastNumber += 1
        entries[lastNumber] = Entry(kind: kind, token: token, isUnattended: isUnattended)
        arm(lastNumber)
        return lastNumber
    }

    private mutating func carryOut(_ due: Due, of number: UInt64, into effects: inout [Effect]) {
        switch due {
        case .nothing: break
        case .send(let body): send(body, as: Correlation(number), into: &effects)
        case .sendCancel(let body): send(body, as: Correlation(number, isCancel: true), into: &effects)
        case .end(let result): finish(number, result, into: &effects)
        case .endUnsent: finish(number, .failure(.noController(endpoint, isDenied: isDenied)), into: &effects)
        }
    }

    private func send(_ body: ClientRequest.Body, as correlation: Correlation, into effects: inout [Effect]) {
        let entry = entries[correlation.number]
        let request = ClientRequest(
            correlation: correlation.wireValue, token: entry?.token,
            isUnattended: entry?.isUnattended ?? false, body: body)
        effects.append(.send(correlation, request))
    }

    private mutating func finish(
        _ number: UInt64, _ result: Result<Completion, FleetError>, into effects: inout [Effect]
    ) {
        guard entries.removeValue(forKey: number) != nil else { return }
        effects.append(.end(number, result))
    }

    private mutating func updateSending(
        of correlation: Correlation, _ update: (inout Transmission, inout SeededGenerator) -> Void
    ) {
        guard var entry = entries[correlation.number] else { return }
        switch entry.kind {
        case .query(var query):
            guard !correlation.isCancel else { return }
            update(&query.sending, &generator)
            entry.kind = .query(query)
        case .command(var attempt):
            if !correlation.isCancel {
                update(&attempt.sending, &generator)
            } else if var cancelling = attempt.cancelling {
                update(&cancelling, &generator)
                attempt.cancelling = cancelling
            }
            entry.kind = .command(attempt)
        }
        entries[correlation.number] = entry
        arm(correlation.number)
    }

    /// Sets a timer for a request, unless an earlier one is set: timers are never removed.
    private mutating func arm(_ number: UInt64) {
        guard var entry = entries[number] else { return }
        let due =
            switch entry.kind {
            case .query(let query): query.nextDue
            case .command(let attempt): attempt.nextDue
            }
        if let armedAt = entry.armedAt, armedAt <= due { return }
        entry.armedAt = due
        entries[number] = entry
        timers.set(Wakeup(number: number, due: due), at: due)
    }
}

/// Counts of messages that a client could not use, and of repeats.
public struct ClientCounters: Hashable, Sendable {
    /// Replies to requests that no longer wait: late replies, and replies to repeats.
    public internal(set) var unknownReplies: UInt64 = 0
    /// Replies that cannot be read.
    public internal(set) var badReplies: UInt64 = 0
    /// Stream updates that cannot be read; the replica detects the gap in the sequence.
    public internal(set) var badUpdates: UInt64 = 0
    /// Requests that were sent again, because no answer came or the controller was busy.
    public internal(set) var resends: UInt64 = 0
}
