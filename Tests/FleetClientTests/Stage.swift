import FleetProtocol
import Testing

@testable import FleetClient

/// The surroundings of ``PendingRequests``: a socket that accepts or refuses, and a clock that the test
/// advances.
struct Stage {
    var pending: PendingRequests
    private(set) var now = MonotonicTime(nanoseconds: 0)
    /// Whether the socket accepts messages.
    private(set) var isConnected = false
    /// The messages sent, in order.
    private(set) var sent: [(at: MonotonicTime, request: ClientRequest)] = []
    /// The ended requests, in order.
    private(set) var ends: [(at: MonotonicTime, number: UInt64, result: Result<Completion, FleetError>)] = []

    init(isConnected: Bool = true, seed: UInt64 = 1) throws {
        pending = PendingRequests(endpoint: try Samples.endpoint(), generator: SeededGenerator(seed: seed))
        if isConnected { connect() }
    }

    /// Begins a command with Ada's credentials.
    @discardableResult
    mutating func begin(_ command: Command) throws -> UInt64 {
        let number = try pending.begin(command, as: try Samples.credentials(), at: now)
        turn()
        return number
    }

    /// Begins a query with Ada's credentials.
    @discardableResult
    mutating func begin(_ body: ClientRequest.Body, timeout: Duration = .seconds(5)) throws -> UInt64 {
        let number = try pending.begin(body, token: try Samples.token(), timeout: timeout, at: now)
        turn()
        return number
    }

    /// Begins a request of a service.
    @discardableResult
    mutating func begin(_ request: some ServiceRequest) throws -> UInt64 {
        let number = try pending.begin(
            .service(ServiceMessage(request)), token: try Samples.token(), retry: request.traits.retry,
            timeout: .seconds(5), at: now)
        turn()
        return number
    }

    mutating func connect() {
        isConnected = true
        pending.connected(at: now)
        turn()
    }

    mutating func disconnect() {
        isConnected = false
        pending.disconnected()
        turn()
    }

    /// Cancels the waiting task.
    mutating func cancel(_ number: UInt64) {
        var effects: [PendingRequests.Effect] = []
        pending.cancel(number, at: now, into: &effects)
        carryOut(effects)
        turn()
    }

    /// Answers the message that was sent last, or an earlier one.
    mutating func answer(_ body: ClientReply.Body, to index: Int? = nil) throws {
        let request = try #require(
            sent.indices.contains(index ?? sent.count - 1) ? sent[index ?? sent.count - 1] : nil)
        var effects: [PendingRequests.Effect] = []
        pending.answered(
            ClientReply(correlation: request.request.correlation, body: body), at: now, into: &effects)
        carryOut(effects)
        turn()
    }

    /// Advances the clock, from one timer to the next.
    mutating func wait(_ duration: Duration) {
        let target = now.advanced(by: duration)
        while let due = pending.nextDue, due <= target {
            now = max(now, due)
            turn()
        }
        now = target
        turn()
    }

    mutating func turn() {
        var effects: [PendingRequests.Effect] = []
        pending.turn(at: now, into: &effects)
        carryOut(effects)
    }

    mutating func carryOut(_ effects: [PendingRequests.Effect]) {
        for effect in effects {
            switch effect {
            case .send(let correlation, let request):
                if isConnected {
                    sent.append((now, request))
                    pending.sent(correlation, at: now)
                } else {
                    pending.blocked(correlation, at: now)
                }
            case .end(let number, let result): ends.append((now, number, result))
            }
        }
    }
}
