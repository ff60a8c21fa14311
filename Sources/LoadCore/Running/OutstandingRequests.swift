import DequeModule
import FleetProtocol
import FleetTime

/// The requests that still expect a reply, with their deadlines.
struct OutstandingRequests: Sendable {
    /// The maximum number of requests; further ones are not sent.
    private static let limit = 262_144

    private var requests: [UInt64: Outstanding] = [:]
    /// The deadlines in order; those of requests that have ended are skipped.
    private var deadlines: Deque<(number: UInt64, at: MonotonicTime)> = []
    /// The replies to the first copy of requests that are sent twice.
    private var firstReplies: [UInt64: FirstReply] = [:]
    /// The number of requests without any reply.
    private(set) var unanswered = 0

    var count: Int { requests.count }
    var isFull: Bool { requests.count >= Self.limit }
    var numbers: [UInt64] { requests.keys.sorted() }
    /// The next deadline; nil for none.
    var nextDeadline: MonotonicTime? { deadlines.first?.at }

    subscript(number: UInt64) -> Outstanding? { requests[number] }

    /// Allocates memory for a number of requests.
    mutating func reserve(_ count: Int, withRetries: Bool) {
        requests.reserveCapacity(count)
        deadlines.reserveCapacity(count)
        if withRetries { firstReplies.reserveCapacity(count) }
    }

    /// Adds a request, whose deadline is not before that of an earlier one.
    mutating func add(_ request: Outstanding, number: UInt64, deadline: MonotonicTime) {
        requests[number] = request
        unanswered += 1
        deadlines.append((number, deadline))
    }

    /// Records that a request's command or its follow-up was sent; returns the request, nil if it has ended.
    mutating func sent(_ number: UInt64, isCommand: Bool, at now: MonotonicTime) -> Outstanding? {
        guard var request = requests[number] else { return nil }
        if isCommand { request.sentAt = now } else { request.followedAt = now }
        requests[number] = request
        return request
    }

    /// Records a reply; returns nil if its request has ended or already has a reply to that part.
    ///
    /// Returns the request with its replies, and whether this is the first reply to the command or its retry.
    mutating func answer(
        _ number: UInt64, _ part: LoadMessage.Part
    ) -> (request: Outstanding, isFirst: Bool)? {
        guard var request = requests[number] else { return nil }
        let isFirst = part != .cancel && !request.isAnswered
        guard request.answered.insert(part) else { return nil }
        if isFirst { unanswered -= 1 }
        requests[number] = request.isComplete ? nil : request
        return (request, isFirst)
    }

    /// Stores the first of two replies, to be compared with the second.
    mutating func store(_ answer: FirstReply, to number: UInt64) { firstReplies[number] = answer }

    /// Removes and returns the first of two replies; nil if there is none.
    mutating func removeFirstReply(to number: UInt64) -> FirstReply? {
        firstReplies.removeValue(forKey: number)
    }

    /// Returns a request that has timed out; nil if none has.
    mutating func nextTimedOut(at now: MonotonicTime) -> (number: UInt64, request: Outstanding)? {
        while let first = deadlines.first, first.at <= now || requests[first.number] == nil {
            deadlines.removeFirst()
            if let request = requests[first.number] { return (first.number, request) }
        }
        return nil
    }

    /// Removes and returns a request; nil if it has ended.
    mutating func remove(_ number: UInt64) -> Outstanding? {
        guard let request = requests.removeValue(forKey: number) else { return nil }
        firstReplies[number] = nil
        if !request.isAnswered { unanswered -= 1 }
        return request
    }
}

/// Messages that no connection accepted, in the order in which they are offered again.
struct BlockedMessages: Sendable {
    /// The pause after which a message is offered again.
    private static let pause: Duration = .milliseconds(1)

    private var messages: Deque<LoadMessage> = []
    private var until = MonotonicTime.zero

    /// The time at which a message is offered again; nil if there is none.
    var nextDue: MonotonicTime? { messages.isEmpty ? nil : until }

    /// Allocates memory for a number of messages.
    mutating func reserve(_ count: Int) { messages.reserveCapacity(count) }

    mutating func append(_ message: LoadMessage, at now: MonotonicTime) {
        messages.append(message)
        until = now.advanced(by: Self.pause)
    }

    /// Removes and returns the next message; nil before the end of the pause.
    mutating func next(at now: MonotonicTime) -> LoadMessage? { until <= now ? messages.popFirst() : nil }
}

/// The comparable content of the reply to one of the two copies of a request.
enum FirstReply: Equatable, Sendable {
    /// A final outcome, with the version of the state before it.
    case ended(Outcome, versionBefore: Version)
    /// A refusal, or an outcome that is not final.
    case undecided

    /// Extracts the comparable content of a reply.
    init(_ body: ClientReply.Body) {
        if case .outcome(let report) = body, report.outcome.isFinal {
            self = .ended(report.outcome, versionBefore: report.versionBefore)
        } else {
            self = .undecided
        }
    }
}

/// A request that still expects at least one reply.
struct Outstanding: Sendable {
    /// The follow-up message of a request.
    enum Fate: Sendable {
        /// No follow-up.
        case plain
        /// The same command is sent a second time.
        case retried
        case cancelled
    }

    let requestID: RequestID
    let device: DeviceID
    /// The subject of the request.
    let content: LoadMessage.Content
    /// The index of the connection that sends the command.
    let connection: Int
    /// The due time: the latency counts from here, even if the tester or the fleet was late.
    let intended: MonotonicTime
    /// Whether the request belongs to the measurement; otherwise it belongs to the warm-up.
    let isMeasured: Bool
    /// The follow-up message of the request.
    let fate: Fate
    /// The delay from sending the command to sending the follow-up.
    let followUpDelay: Duration

    /// The time when the command was sent; nil until then.
    var sentAt: MonotonicTime?
    /// The time when the retry or the cancel was sent; nil until then.
    var followedAt: MonotonicTime?
    var answered = LoadMessage.Parts()

    var kind: LoadRequestKind {
        switch content {
        case .toggle: if case .cancelled = fate { .cancel } else { .toggle }
        case .set: .set
        case .read: .read
        }
    }

    var isAnswered: Bool { answered.contains(.command) || answered.contains(.retry) }

    /// Whether all expected replies have arrived.
    var isComplete: Bool {
        switch fate {
        case .plain: answered.contains(.command)
        case .retried: answered.contains(.command) && answered.contains(.retry)
        case .cancelled: answered.contains(.command) && answered.contains(.cancel)
        }
    }
}
