public import FleetProtocol

extension Load {
    /// Returns the next message to send; nil if none is due. The caller must then call ``sent(_:at:)`` or
    /// ``blocked(_:at:isConnected:)``. Repeat until it returns nil, or for as long as replies may wait.
    public mutating func nextMessage(at now: Moment) -> LoadMessage? {
        if let (number, part, request) = requests.nextDue(at: now.monotonic) {
            return message(of: request, number, as: part, at: now.monotonic)
        }
        while let intended = nextIntended(at: now.monotonic) {
            if let message = make(dueAt: intended, at: now) { return message }
        }
        return nil
    }

    /// Records that a connection accepted a message, and schedules the request's cancel or retry. Without a
    /// reply for a second ``nextMessage(at:)`` returns it again, with the same request ID.
    public mutating func sent(_ message: LoadMessage, at now: MonotonicTime) {
        requests.sent(message, at: now)
    }

    /// Records that a connection did not accept a message. ``nextMessage(at:)`` returns it again after a
    /// pause, or after the next connection.
    public mutating func blocked(_ message: LoadMessage, at now: MonotonicTime, isConnected: Bool) {
        requests.blocked(message, at: now, isConnected: isConnected)
    }

    /// Handles a new connection: its unsent messages are due, and soon those whose replies it may have lost.
    public mutating func connected(_ connection: Int, at now: MonotonicTime) {
        requests.connected(connection, of: plan.connections, at: now)
    }

    private mutating func nextIntended(at now: MonotonicTime) -> MonotonicTime? {
        switch plan.demand {
        case .rate, .ramp:
            guard let due = schedule?.next, due <= now, due < end else { return nil }
            return schedule?.advance()
        case .inFlight(let count): return now < end && requests.unanswered < count ? now : nil
        }
    }

    /// Creates the next request; nil if the limit of outstanding requests is reached.
    private mutating func make(dueAt intended: MonotonicTime, at now: Moment) -> LoadMessage? {
        let isMeasured = intended >= measuredFrom
        record(isMeasured) { $0.offer(intended: intended, at: now.monotonic) }
        guard !requests.isFull else {
            record(isMeasured) { $0.drop(intended: intended) }
            return nil
        }
        let (number, request) = maker.make(dueAt: intended, isMeasured: isMeasured, at: now)
        requests.add(request, number: number)
        return message(of: request, number, as: .command, at: now.monotonic)
    }

    private func message(
        of request: Outstanding, _ number: UInt64, as part: LoadMessage.Part, at now: MonotonicTime
    ) -> LoadMessage {
        LoadMessage(
            connection: request.connection(of: part, among: plan.connections), requestID: request.requestID,
            device: request.device, timeout: request.remaining(at: now), number: number, part: part,
            content: request.content)
    }

    /// Handles the answer to a command that has no follow-up; drops it if the request has ended.
    public mutating func answered(_ message: LoadMessage, with answer: LoadAnswer, at now: MonotonicTime) {
        guard let (request, isFirst) = requests.answer(message.number, message.part), isFirst else { return }
        record(request.isMeasured) { $0.end(request, with: answer, at: now) }
    }

    /// Gives up requests whose replies did not arrive in time; returns whether there were any.
    @discardableResult
    public mutating func turn(at now: MonotonicTime) -> Bool {
        var hasGivenUp = false
        while let (number, request) = requests.nextTimedOut(at: now) {
            giveUp(number, in: request.sentAt == nil ? .notSent : .noAnswer)
            hasGivenUp = true
        }
        return hasGivenUp
    }

    func awaits(_ message: LoadMessage) -> Bool { requests.contains(message.number) }

    mutating func giveUp(_ number: UInt64, in silence: LoadRecorder.Silence) {
        guard let request = requests.remove(number) else { return }
        record(request.isMeasured) { recorder in
            if !request.isAnswered { recorder.end(request, in: silence) }
            if silence != .abandoned, request.followedAt != nil { recorder.endFollowUpInSilence(of: request) }
        }
    }

    /// Handles a reply; drops it if its request is not outstanding or already has a reply to that message.
    /// The refusal of one copy ends nothing while another one may be carried out.
    public mutating func answered(_ reply: ClientReply, at now: MonotonicTime) {
        guard let (number, part) = reply.correlation.correlated else { return }
        if case .refusal(let refusal) = reply.body, requests.refused(number, part, refusal, at: now) {
            return
        }
        guard let (request, isFirst) = requests.answer(number, part) else { return }
        if case .cancel = part {
            let sentAt = request.followedAt ?? request.intended
            record(request.isMeasured) { $0.endCancel(reply.body, took: sentAt.duration(to: now)) }
        } else if isFirst {
            record(request.isMeasured) {
                $0.end(request, with: LoadAnswer(reply.body, to: request.content), at: now)
            }
            if request.fate == .retried { requests.store(FirstReply(reply.body), to: number) }
        } else if let first = requests.removeFirstReply(to: number) {
            record(request.isMeasured) { $0.compare(first, FirstReply(reply.body)) }
        }
    }
}

public struct LoadMessage: Equatable, Sendable {
    enum Part: UInt64, Sendable {
        case command
        /// The same command again, under the same request ID.
        case retry
        case cancel
    }

    struct Parts: Sendable {
        private var bits: UInt64 = 0

        func contains(_ part: Part) -> Bool { bits >> part.rawValue & 1 == 1 }

        /// Adds a part; returns false if the set already contains it.
        mutating func insert(_ part: Part) -> Bool {
            defer { bits |= 1 << part.rawValue }
            return !contains(part)
        }
    }

    enum Content: Equatable, Sendable {
        case toggle
        case set(isOn: Bool)
        case read

        /// When a request without a reply is sent again.
        var retry: RetryPolicy {
            switch self {
            case .toggle, .set: RequestTraits.switching.retry
            case .read: RequestTraits.read.retry
            }
        }
    }

    /// The index of the connection that sends the message, from 0.
    public let connection: Int
    public let requestID: RequestID
    /// The device to change; that of a read has no meaning.
    public let device: DeviceID
    public let timeout: Duration

    let number: UInt64
    let part: Part
    let content: Content
}

extension LoadMessage {
    public func request(as token: Token) -> ClientRequest {
        let body: ClientRequest.Body =
            switch (part, content) {
            case (.cancel, _): .cancel(requestID, timeout: timeout)
            case (_, .toggle): command(.toggle)
            case (_, .set(let isOn)): command(.set(ACStateChange(isOn: isOn)))
            case (_, .read): .snapshot(cursor: 0)
            }
        return ClientRequest(correlation: UInt64(correlation: number, part), token: token, body: body)
    }

    private func command(_ kind: Command.Kind) -> ClientRequest.Body {
        .command(Command(requestID: requestID, device: device, kind: kind, timeout: timeout))
    }
}

extension LoadAnswer {
    /// The answer that a reply of the controller to a request contains.
    init(_ body: ClientReply.Body, to content: LoadMessage.Content) {
        self =
            switch (body, content) {
            case (.outcome(let report), .toggle), (.outcome(let report), .set):
                Self.answer(in: report, to: content)
            case (.snapshot, .read): .read
            case (.refusal(let refusal), _): .failed(refusal.name)
            default: .failed(Self.unexpected)
            }
    }

    private static func answer(in report: OutcomeReport, to content: LoadMessage.Content) -> LoadAnswer {
        switch (report.outcome, content) {
        case (.applied, _): .applied(report.timing)
        case (.unchanged, .set): .unchanged(report.timing)
        default: .failed(report.outcome.name)
        }
    }

    private static let key = Array("\"status\":".utf8)
    private static let (quote, space) = (UInt8(ascii: "\""), UInt8(ascii: " "))

    /// The answer that a response of Sensibo's API to a request contains. A status other than 200 is counted
    /// as `http429` and so on. With status 200 the result of a new state has `Success`, or why the state was
    /// not set, such as `Failed` and `Unknown`.
    init(_ response: HTTPLoad.Response, to content: LoadMessage.Content) {
        guard response.status == 200 else {
            self = .failed("http\(response.status)")
            return
        }
        // The status of the whole response is `success`; that of a result begins with a capital letter.
        if case .read = content {
            let isRead = Self.status(in: response.body, beginningIn: smallLetters) == "success"
            self = isRead ? .read : .failed(Self.unexpected)
            return
        }
        switch Self.status(in: response.body, beginningIn: capitalLetters) {
        case "Success": self = .applied(nil)
        case let word?: self = .failed(word.lowercased())
        case nil: self = .failed(Self.unexpected)
        }
    }

    /// Returns the first status that begins with one of some letters; nil without one. The body is searched
    /// instead of decoded, because decoding takes as long as all other work of the tester.
    private static func status(in body: [UInt8], beginningIn letters: ClosedRange<UInt8>) -> String? {
        var place = 0
        while let start = next(key, in: body, from: place) {
            place = start + key.count
            while place < body.count, body[place] == space { place += 1 }
            guard place + 1 < body.count, body[place] == quote else { continue }
            let word = body[(place + 1)...].prefix { $0 != quote }
            if let first = word.first, letters.contains(first), word.count <= 32,
                word.allSatisfy({ capitalLetters.contains($0 & ~0x20) })
            {
                return String(decoding: word, as: UTF8.self)
            }
        }
        return nil
    }

    private static func next(_ key: [UInt8], in body: [UInt8], from start: Int) -> Int? {
        guard body.count >= key.count else { return nil }
        var place = start
        while place <= body.count - key.count {
            if body[place] == key[0], body[place..<place + key.count].elementsEqual(key) { return place }
            place += 1
        }
        return nil
    }
}

extension UInt64 {
    /// The correlation ID of a part of a request; never 0, because request numbers start at 1.
    init(correlation number: UInt64, _ part: LoadMessage.Part) { self = number << 2 | part.rawValue }

    /// The request number and the part that a correlation ID encodes; nil if the part is unknown.
    var correlated: (number: UInt64, part: LoadMessage.Part)? {
        LoadMessage.Part(rawValue: self & 3).map { (self >> 2, $0) }
    }
}

/// The answer to a request, independent of the protocol that transports it.
public enum LoadAnswer: Equatable, Sendable {
    case applied(OutcomeReport.Timing?)
    /// The device already had the state to set; its times in the fleet.
    case unchanged(OutcomeReport.Timing?)
    case read
    /// The request was not carried out; the name of its outcome or of its refusal.
    case failed(String)

    static let unexpected = "unexpectedReply"

    var name: String {
        switch self {
        case .applied: "applied"
        case .unchanged: "unchanged"
        case .read: "read"
        case .failed(let name): name
        }
    }
}

private let smallLetters = UInt8(ascii: "a")...UInt8(ascii: "z")
private let capitalLetters = UInt8(ascii: "A")...UInt8(ascii: "Z")
