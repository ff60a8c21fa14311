import DequeModule
import FleetProtocol

/// The requests that still expect a reply, with their deadlines.
struct OutstandingRequests: Sendable {
    /// The maximum number of requests; further ones are not sent.
    private static let limit = 262_144

    private var requests: [UInt64: Outstanding] = [:]
    /// The deadlines in order; those of requests that have ended are skipped.
    private var deadlines: Deque<(number: UInt64, at: MonotonicTime)> = []
    /// The times of follow-ups and of messages that are sent again, by correlation; stale ones are skipped.
    private var timers = Timers<UInt64>()
    /// The sent messages with the earliest time of their next copy, in order: few outlive an answer, so that
    /// ``timers`` has only those that do.
    private var silences: Deque<(message: UInt64, at: MonotonicTime)> = []
    private var generator: SeededGenerator
    private var firstReplies: [UInt64: FirstReply] = [:]
    private(set) var unanswered = 0

    /// No requests; the seed determines their backoff.
    init(seed: UInt64) { generator = SeededGenerator.derived(seed: seed, purpose: 5) }

    var count: Int { requests.count }
    var isFull: Bool { requests.count >= Self.limit }
    var numbers: [UInt64] { requests.keys.sorted() }
    var nextDeadline: MonotonicTime? { deadlines.first?.at }

    func contains(_ number: UInt64) -> Bool { requests.index(forKey: number) != nil }

    /// Allocates memory for a number of requests, and writes to it, so that no request waits for its pages.
    mutating func reserve(_ count: Int, like request: Outstanding, withRetries: Bool) {
        requests.reserveCapacity(count)
        for number in 0..<UInt64(count) { requests[number] = request }
        requests.removeAll(keepingCapacity: true)
        deadlines = Deque(repeating: (0, .zero), count: count)
        deadlines.removeAll(keepingCapacity: true)
        silences = Deque(repeating: (0, .zero), count: count)
        silences.removeAll(keepingCapacity: true)
        if withRetries { firstReplies.reserveCapacity(count) }
    }

    /// Adds a request whose command is sent now; its deadline is not before that of an earlier one.
    mutating func add(_ request: Outstanding, number: UInt64) {
        requests[number] = request
        unanswered += 1
        deadlines.append((number, request.deadline.advanced(by: Load.grace)))
    }

    /// Records a reply; returns nil if its request has ended or already has a reply to that part. Returns the
    /// request with its replies, and whether this is the first reply to the command or its retry.
    mutating func answer(
        _ number: UInt64, _ part: LoadMessage.Part
    ) -> (request: Outstanding, isFirst: Bool)? {
        // Speed: see performance.md, "copies".
        guard let place = requests.index(forKey: number),
            let (isFirst, isComplete) = requests.values[place].answer(part)
        else { return nil }
        if isFirst { unanswered -= 1 }
        return (isComplete ? requests.remove(at: place).value : requests.values[place], isFirst)
    }

    mutating func store(_ answer: FirstReply, to number: UInt64) { firstReplies[number] = answer }

    /// Removes and returns the first of two replies; nil if there is none.
    mutating func removeFirstReply(to number: UInt64) -> FirstReply? {
        firstReplies.removeValue(forKey: number)
    }

    mutating func nextTimedOut(at now: MonotonicTime) -> (number: UInt64, request: Outstanding)? {
        while let first = deadlines.first, first.at <= now || !contains(first.number) {
            deadlines.removeFirst()
            if let request = requests[first.number] { return (first.number, request) }
        }
        return nil
    }

    mutating func remove(_ number: UInt64) -> Outstanding? {
        guard let request = requests.removeValue(forKey: number) else { return nil }
        firstReplies[number] = nil
        if !request.isAnswered { unanswered -= 1 }
        return request
    }
}

extension OutstandingRequests {
    /// The next time of ``nextDue(at:)``; nil for none.
    var nextSend: MonotonicTime? {
        let due = min(timers.nextDue ?? .never, silences.first?.at ?? .never)
        return due == .never ? nil : due
    }

    /// Returns a follow-up that is due, or a message that has no reply and is sent again; nil for none. Its
    /// remaining time is not zero. ``sent(_:at:)`` or ``blocked(_:at:isConnected:)`` must follow.
    mutating func nextDue(
        at now: MonotonicTime
    ) -> (number: UInt64, part: LoadMessage.Part, request: Outstanding)? {
        while let silent = nextSilent(at: now) { reschedule(silent) { _, _ in } }
        while let (number, part) = timers.popDue(at: now)?.correlated {
            guard var request = requests[number], !request.answered.contains(part),
                request[part]?.consumeDue(at: now) == true
            else { continue }
            requests[number] = request
            if request.remaining(at: now).wholeMilliseconds > 0 { return (number, part, request) }
        }
        return nil
    }

    /// Records that a message was sent, and schedules its next copy and its follow-up.
    mutating func sent(_ message: LoadMessage, at now: MonotonicTime) {
        let (number, part) = (message.number, message.part)
        guard let place = requests.index(forKey: number) else { return }
        let (followUp, isRepeated) = requests.values[place].sent(part, at: now, using: &generator)
        if let (part, due) = followUp { timers.set(UInt64(correlation: number, part), at: due) }
        guard isRepeated else { return }
        silences.append((UInt64(correlation: number, part), now.advanced(by: Transmission.silence)))
    }

    mutating func blocked(_ message: LoadMessage, at now: MonotonicTime, isConnected: Bool) {
        reschedule(UInt64(correlation: message.number, message.part)) { sending, _ in
            sending.blocked(at: now, isConnected: isConnected)
        }
    }

    /// Handles a new connection in the place of one that carries messages.
    mutating func connected(_ connection: Int, of count: Int, at now: MonotonicTime) {
        for number in numbers {
            guard let request = requests[number] else { continue }
            for part in [.command, request.followUp].compactMap(\.self)
            where request.connection(of: part, among: count) == connection {
                reschedule(UInt64(correlation: number, part)) { $0.connected(at: now, using: &$1) }
            }
        }
    }

    /// Handles the refusal of one of several copies; returns whether another one may be carried out.
    mutating func refused(
        _ number: UInt64, _ part: LoadMessage.Part, _ refusal: Refusal, at now: MonotonicTime
    ) -> Bool {
        guard let copies = requests[number]?[part]?.copies, copies > 1 else { return false }
        var mayBeOnItsWay = false
        reschedule(UInt64(correlation: number, part)) { sending, generator in
            sending.refused()
            mayBeOnItsWay = sending.mayBeOnItsWay
            if let pause = refusal.retryAfter {
                sending.postpone(by: pause, at: now, using: &generator)
            } else {
                sending.received(at: now, using: &generator)
            }
        }
        return mayBeOnItsWay
    }

    /// Changes the schedule of a message without a reply, and sets its timer.
    private mutating func reschedule(
        _ message: UInt64, _ change: (inout Transmission, inout SeededGenerator) -> Void
    ) {
        guard let (number, part) = message.correlated, var request = requests[number],
            !request.answered.contains(part), var sending = request[part]
        else { return }
        change(&sending, &generator)
        request[part] = sending
        requests[number] = request
        if let next = sending.nextSend { timers.set(message, at: next) }
    }

    /// Removes and returns a message that has no reply after the usual silence; nil for none.
    private mutating func nextSilent(at now: MonotonicTime) -> UInt64? {
        while let first = silences.first {
            let isOver = first.message.correlated.map { !contains($0.number) } ?? true
            guard isOver || first.at <= now else { return nil }
            silences.removeFirst()
            if !isOver { return first.message }
        }
        return nil
    }
}

/// The comparable content of the reply to one of the two copies of a request.
enum FirstReply: Equatable, Sendable {
    case ended(Outcome, versionBefore: Version)
    /// A refusal, or an outcome that is not final.
    case undecided

    init(_ body: ClientReply.Body) {
        if case .outcome(let report) = body, report.outcome.isFinal {
            self = .ended(report.outcome, versionBefore: report.versionBefore)
        } else {
            self = .undecided
        }
    }
}

struct Outstanding: Sendable {
    enum Fate: Sendable {
        case plain
        /// The same command is sent a second time.
        case retried
        case cancelled
    }

    let requestID: RequestID
    let device: DeviceID
    let content: LoadMessage.Content
    /// The index of the connection that sends the command.
    let connection: Int
    /// The due time: the latency counts from here, even if the tester or the fleet was late.
    let intended: MonotonicTime
    let deadline: MonotonicTime
    /// Whether the request belongs to the measurement; otherwise it belongs to the warm-up.
    let isMeasured: Bool
    let fate: Fate
    /// The delay from sending the command to sending the follow-up.
    let followUpDelay: Duration

    var sending: Transmission
    /// The schedule of the retry or the cancel; nil until the command is sent.
    var following: Transmission?
    /// The time when the command was first sent; nil until then.
    var sentAt: MonotonicTime?
    /// The time when the retry or the cancel was first sent; nil until then.
    var followedAt: MonotonicTime?
    var answered = LoadMessage.Parts()

    /// The schedule of a message; nil for a follow-up that has none yet.
    subscript(part: LoadMessage.Part) -> Transmission? {
        get { part == .command ? sending : following }
        set {
            guard let newValue else { return }
            if part == .command { sending = newValue } else { following = newValue }
        }
    }

    var followUp: LoadMessage.Part? {
        switch fate {
        case .plain: nil
        case .retried: .retry
        case .cancelled: .cancel
        }
    }

    /// The connection of a message: a retry has the next one.
    func connection(of part: LoadMessage.Part, among count: Int) -> Int {
        part == .retry ? (connection + 1) % count : connection
    }

    func remaining(at now: MonotonicTime) -> Duration { now.duration(to: deadline) }

    var kind: LoadRequestKind {
        switch content {
        case .toggle: if case .cancelled = fate { .cancel } else { .toggle }
        case .set: .set
        case .read: .read
        }
    }

    /// Records a reply; nil if that message has one. Returns whether it is the first reply to the command or
    /// its retry, and whether none is missing.
    mutating func answer(_ part: LoadMessage.Part) -> (isFirst: Bool, isComplete: Bool)? {
        let isFirst = part != .cancel && !isAnswered
        guard answered.insert(part) else { return nil }
        return (isFirst, isComplete)
    }

    /// Records that a message was sent. Returns the follow-up that is due from now on, and whether the
    /// message is sent again without a reply.
    mutating func sent(
        _ part: LoadMessage.Part, at now: MonotonicTime, using generator: inout SeededGenerator
    ) -> (followUp: (LoadMessage.Part, due: MonotonicTime)?, isRepeated: Bool) {
        self[part]?.sent(at: now, using: &generator)
        let isRepeated = self[part]?.nextSend != nil
        guard self[part]?.copies == 1 else { return (nil, isRepeated) }
        guard part == .command else {
            followedAt = now
            return (nil, isRepeated)
        }
        sentAt = now
        guard let followUp else { return (nil, isRepeated) }
        let due = now.advanced(by: followUpDelay)
        following = Transmission(RequestTraits.switching.retry, at: due)
        return ((followUp, due), isRepeated)
    }

    var isAnswered: Bool { answered.contains(.command) || answered.contains(.retry) }

    var isComplete: Bool {
        answered.contains(.command) && (followUp.map { answered.contains($0) } ?? true)
    }
}
