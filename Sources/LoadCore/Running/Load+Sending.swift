import DequeModule
import FleetProtocol
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
