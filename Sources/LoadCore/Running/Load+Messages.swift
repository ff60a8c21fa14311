import DequeModule
public import FleetProtocol
public import FleetTime

/// The messages to send, and their times.
extension Load {
    /// Returns the next message to send; nil if none is due.
    ///
    /// The caller must then call ``left(_:at:)`` or ``blocked(_:at:)``. Repeat until it returns nil, or for
    /// as long as replies may wait.
    public mutating func nextMessage(at now: Moment) -> LoadMessage? {
        if let message = nextBlocked(at: now.monotonic) { return message }
        while let number = followUps.popDue(at: now.monotonic) {
            if let request = outstanding[number] { return followUp(of: request, number) }
        }
        while let intended = nextIntended(at: now.monotonic) {
            if let message = make(dueAt: intended, at: now) { return message }
        }
        return nil
    }

    /// Records that a connection accepted a message, and schedules the request's cancel or retry.
    public mutating func left(_ message: LoadMessage, at now: MonotonicTime) {
        guard var request = outstanding[message.number] else { return }
        if case .command = message.part {
            request.leftAt = now
            if request.fate != .plain {
                followUps.set(message.number, at: now.advanced(by: request.followUpDelay))
            }
        } else {
            request.followedAt = now
        }
        outstanding[message.number] = request
    }

    /// Queues a message that no connection accepted; ``nextMessage(at:)`` returns it again after a pause.
    public mutating func blocked(_ message: LoadMessage, at now: MonotonicTime) {
        blocked.append(message)
        blockedUntil = now.advanced(by: Self.pause)
    }

    private mutating func nextBlocked(at now: MonotonicTime) -> LoadMessage? {
        guard !blocked.isEmpty, blockedUntil <= now else { return nil }
        while let message = blocked.popFirst() {
            if outstanding[message.number] != nil { return message }
        }
        return nil
    }

    /// Returns the due time of the next request; nil if no request is due yet.
    private mutating func nextIntended(at now: MonotonicTime) -> MonotonicTime? {
        switch plan.demand {
        case .rate:
            guard let due = schedule?.next, due <= now, due < end else { return nil }
            return schedule?.take()
        case .inFlight(let count):
            return now < end && unanswered < count ? now : nil
        }
    }

    /// Creates the next request; nil if the limit of outstanding requests is reached.
    private mutating func make(dueAt intended: MonotonicTime, at now: Moment) -> LoadMessage? {
        let isMeasured = intended >= measuredFrom
        record(isMeasured) { $0.offer(intended: intended, at: now.monotonic) }
        guard outstanding.count < Self.outstandingLimit else {
            record(isMeasured) { $0.drop(intended: intended) }
            return nil
        }
        lastNumber += 1
        let (fate, followUpDelay) = takeFate()
        let request = Outstanding(
            requestID: RequestID(at: now.wall, using: &ids), device: round.take(),
            connection: Int(lastNumber % UInt64(plan.connections)), intended: intended,
            isMeasured: isMeasured, fate: fate, followUpDelay: followUpDelay)
        outstanding[lastNumber] = request
        unanswered += 1
        let givenUpAt = now.monotonic.advanced(by: plan.patience + Self.grace)
        givingUp.append(GiveUp(number: lastNumber, at: givenUpAt))
        return command(of: request, lastNumber, as: .command, over: request.connection)
    }

    /// Draws the follow-up of the next request and its delay; both depend on the seed alone.
    private mutating func takeFate() -> (Outstanding.Fate, Duration) {
        guard plan.cancelRatio + plan.retryRatio > 0 else { return (.plain, .zero) }
        let draw = Double.random(in: 0..<1, using: &mix)
        let delay = Int64.random(in: 0...Self.followUpWithin.wholeNanoseconds, using: &mix)
        if draw < plan.cancelRatio { return (.cancelled, .nanoseconds(delay)) }
        return (draw < plan.cancelRatio + plan.retryRatio ? .retried : .plain, .nanoseconds(delay))
    }

    /// Returns the cancel of a request, or its retry over the next connection.
    private func followUp(of request: Outstanding, _ number: UInt64) -> LoadMessage {
        guard request.fate == .cancelled else {
            return command(
                of: request, number, as: .retry, over: (request.connection + 1) % plan.connections)
        }
        let body = ClientRequest.Body.cancel(request.requestID, patience: plan.patience)
        return message(body, number, as: .cancel, over: request.connection)
    }

    private func command(
        of request: Outstanding, _ number: UInt64, as part: LoadMessage.Part, over connection: Int
    ) -> LoadMessage {
        let command = Command(
            requestID: request.requestID, device: request.device, kind: .toggle, patience: plan.patience)
        return message(.command(command), number, as: part, over: connection)
    }

    private func message(
        _ body: ClientRequest.Body, _ number: UInt64, as part: LoadMessage.Part, over connection: Int
    ) -> LoadMessage {
        let correlation = UInt64(correlation: number, part)
        return LoadMessage(
            connection: connection,
            request: ClientRequest(correlation: correlation, token: token, body: body), number: number,
            part: part)
    }
}

/// The handling of replies and of missing replies.
extension Load {
    /// Handles a reply; drops it if its request is not outstanding or already has a reply to that message.
    public mutating func answered(_ reply: ClientReply, at now: MonotonicTime) {
        guard let (number, part) = reply.correlation.correlated, var request = outstanding[number] else {
            return
        }
        let isFirst = !request.isAnswered
        guard request.answered.insert(part) else { return }
        if case .cancel = part {
            let leftAt = request.followedAt ?? request.intended
            record(request.isMeasured) { $0.endCancel(reply.body, took: leftAt.duration(to: now)) }
        } else if isFirst {
            unanswered -= 1
            record(request.isMeasured) { $0.end(request, with: reply.body, at: now) }
            if request.fate == .retried { firstAnswers[number] = FirstAnswer(reply.body) }
        } else if let first = firstAnswers.removeValue(forKey: number) {
            record(request.isMeasured) { $0.compare(first, FirstAnswer(reply.body)) }
        }
        outstanding[number] = request.isComplete ? nil : request
    }

    /// Gives up requests whose replies did not arrive in time.
    public mutating func turn(at now: MonotonicTime) {
        while let first = givingUp.first, first.at <= now || outstanding[first.number] == nil {
            givingUp.removeFirst()
            guard let request = outstanding[first.number] else { continue }
            giveUp(request, first.number, in: request.leftAt == nil ? .notSent : .noAnswer)
        }
    }

    mutating func giveUp(
        _ request: Outstanding, _ number: UInt64, in silence: LoadRecorder.Silence
    ) {
        outstanding[number] = nil
        firstAnswers[number] = nil
        if !request.isAnswered { unanswered -= 1 }
        record(request.isMeasured) { recorder in
            if !request.isAnswered { recorder.end(request, in: silence) }
            if silence != .abandoned, request.followedAt != nil { recorder.endFollowUpInSilence(of: request) }
        }
    }
}

/// A message that is ready to be sent.
public struct LoadMessage: Equatable, Sendable {
    /// The role of a message in its request.
    enum Part: UInt64, Sendable {
        /// The command itself.
        case command
        /// The same command again, under the same request ID.
        case retry
        /// The cancel.
        case cancel
    }

    /// A set of parts of a request.
    struct Parts: Sendable {
        private var bits: UInt64 = 0

        /// Returns whether a part is in the set.
        func contains(_ part: Part) -> Bool { bits >> part.rawValue & 1 == 1 }

        /// Adds a part; returns false if the set already contains it.
        mutating func insert(_ part: Part) -> Bool {
            defer { bits |= 1 << part.rawValue }
            return !contains(part)
        }
    }

    /// The index of the connection that sends the message, from 0.
    public let connection: Int
    /// The request to encode and send.
    public let request: ClientRequest

    /// The number of the request.
    let number: UInt64
    let part: Part
}

extension UInt64 {
    /// The correlation ID of a part of a request; never 0, because request numbers start at 1.
    init(correlation number: UInt64, _ part: LoadMessage.Part) {
        self = number << 2 | part.rawValue
    }

    /// The request number and the part that a correlation ID encodes; nil if the part is unknown.
    var correlated: (number: UInt64, part: LoadMessage.Part)? {
        LoadMessage.Part(rawValue: self & 3).map { (self >> 2, $0) }
    }
}

/// The comparable content of the reply to one of the two copies of a request.
enum FirstAnswer: Equatable, Sendable {
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
        /// The request is cancelled.
        case cancelled
    }

    /// The request ID.
    let requestID: RequestID
    /// The target device.
    let device: DeviceID
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
    var leftAt: MonotonicTime?
    /// The time when the retry or the cancel was sent; nil until then.
    var followedAt: MonotonicTime?
    /// The messages that have a reply.
    var answered = LoadMessage.Parts()

    /// Whether the command or its retry has a reply.
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
