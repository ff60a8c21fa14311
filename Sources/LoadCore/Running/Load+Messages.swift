import DequeModule
public import FleetProtocol
public import Stepping

/// What is to leave, and when.
extension Load {
    /// What is to leave now; nil when nothing is.
    ///
    /// Then ``left(_:at:)`` or ``blocked(_:at:)`` must follow. Call it until it gives nothing, or as often as
    /// the answers may wait.
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

    /// A connection took a message.
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

    /// No connection took a message: it is offered again soon.
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

    /// When the next request was to leave, if that is now or before.
    private mutating func nextIntended(at now: MonotonicTime) -> MonotonicTime? {
        switch plan.demand {
        case .rate:
            guard let due = schedule?.next, due <= now, due < end else { return nil }
            return schedule?.take()
        case .inFlight(let count):
            return now < end && unanswered < count ? now : nil
        }
    }

    /// Makes the next request; nil when there is no room for it.
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

    /// What happens to the next request besides being sent, and how long after: of the seed alone.
    private mutating func takeFate() -> (Outstanding.Fate, Duration) {
        guard plan.cancelRatio + plan.retryRatio > 0 else { return (.plain, .zero) }
        let draw = Double.random(in: 0..<1, using: &mix)
        let delay = Int64.random(in: 0...Self.followUpWithin.wholeNanoseconds, using: &mix)
        if draw < plan.cancelRatio { return (.cancelled, .nanoseconds(delay)) }
        return (draw < plan.cancelRatio + plan.retryRatio ? .retried : .plain, .nanoseconds(delay))
    }

    /// The cancel of a request, or its repeat over another connection where there is one.
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

/// What comes back, and what does not.
extension Load {
    /// An answer came; one that nobody waits for any more is dropped.
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

    /// Gives up what had no answer in time.
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

/// One message that is to leave now.
public struct LoadMessage: Equatable, Sendable {
    /// Which part of its request a message is.
    enum Part: UInt64, Sendable {
        /// The request itself.
        case command
        /// The same again, under the same id.
        case retry
        /// Its cancel.
        case cancel
    }

    /// Some parts of a request.
    struct Parts: Sendable {
        private var bits: UInt64 = 0

        /// Whether a part is among them.
        func contains(_ part: Part) -> Bool { bits >> part.rawValue & 1 == 1 }

        /// Adds a part; false when it was among them already.
        mutating func insert(_ part: Part) -> Bool {
            defer { bits |= 1 << part.rawValue }
            return !contains(part)
        }
    }

    /// Over which connection it leaves, counted from 0.
    public let connection: Int
    /// What is said.
    public let request: ClientRequest

    /// The number of its request.
    let number: UInt64
    let part: Part
}

extension UInt64 {
    /// The correlation of a part of a request; never 0, for requests are counted from 1.
    init(correlation number: UInt64, _ part: LoadMessage.Part) {
        self = number << 2 | part.rawValue
    }

    /// The request and the part that a correlation stands for; nil when it is none of ours.
    var correlated: (number: UInt64, part: LoadMessage.Part)? {
        LoadMessage.Part(rawValue: self & 3).map { (self >> 2, $0) }
    }
}

/// What the first of two copies of a request was told, for the second to be held against.
enum FirstAnswer: Equatable, Sendable {
    /// How it ended.
    case ended(Outcome, versionBefore: Version)
    /// Nothing that lasts: it was refused, or is not known to have ended.
    case undecided

    /// What an answer says.
    init(_ body: ClientReply.Body) {
        if case .outcome(let report) = body, report.outcome.isFinal {
            self = .ended(report.outcome, versionBefore: report.versionBefore)
        } else {
            self = .undecided
        }
    }
}

/// A request that has not had all of its answers.
struct Outstanding: Sendable {
    /// What happens to a request besides being sent.
    enum Fate: Sendable {
        /// Nothing.
        case plain
        /// It is sent a second time.
        case retried
        /// It is taken back.
        case cancelled
    }

    /// Its identity.
    let requestID: RequestID
    /// The device that is asked.
    let device: DeviceID
    /// Over which connection it leaves.
    let connection: Int
    /// When it was due: its clock starts here, whatever the tester or the fleet was doing.
    let intended: MonotonicTime
    /// Whether it is a part of the measurement, or of the warm-up.
    let isMeasured: Bool
    /// What happens to it besides.
    let fate: Fate
    /// How long after it left that happens.
    let followUpDelay: Duration

    /// When it left; nil until then.
    var leftAt: MonotonicTime?
    /// When its repeat or its cancel left; nil until then.
    var followedAt: MonotonicTime?
    /// Which of its messages were answered.
    var answered = LoadMessage.Parts()

    /// Whether it is known what became of the request: itself or its repeat was answered.
    var isAnswered: Bool { answered.contains(.command) || answered.contains(.retry) }

    /// Whether nothing more is to come.
    var isComplete: Bool {
        switch fate {
        case .plain: answered.contains(.command)
        case .retried: answered.contains(.command) && answered.contains(.retry)
        case .cancelled: answered.contains(.command) && answered.contains(.cancel)
        }
    }
}
