public import FleetProtocol
public import FleetTime

/// The messages to send, and their times.
extension Load {
    /// Returns the next message to send; nil if none is due.
    ///
    /// The caller must then call ``sent(_:at:)`` or ``blocked(_:at:)``. Repeat until it returns nil, or for
    /// as long as replies may wait.
    public mutating func nextMessage(at now: Moment) -> LoadMessage? {
        while let message = blocked.next(at: now.monotonic) {
            if requests[message.number] != nil { return message }
        }
        while let number = followUps.popDue(at: now.monotonic) {
            if let request = requests[number] { return followUp(of: request, number) }
        }
        while let intended = nextIntended(at: now.monotonic) {
            if let message = make(dueAt: intended, at: now) { return message }
        }
        return nil
    }

    /// Records that a connection accepted a message, and schedules the request's cancel or retry.
    public mutating func sent(_ message: LoadMessage, at now: MonotonicTime) {
        let isCommand = message.part == .command
        guard let request = requests.sent(message.number, isCommand: isCommand, at: now) else { return }
        if isCommand, request.fate != .plain {
            followUps.set(message.number, at: now.advanced(by: request.followUpDelay))
        }
    }

    /// Queues a message that no connection accepted; ``nextMessage(at:)`` returns it again after a pause.
    public mutating func blocked(_ message: LoadMessage, at now: MonotonicTime) {
        blocked.append(message, at: now)
    }

    /// Returns the due time of the next request; nil if no request is due yet.
    private mutating func nextIntended(at now: MonotonicTime) -> MonotonicTime? {
        switch plan.demand {
        case .rate:
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
        let (number, request) = maker.make(dueAt: intended, isMeasured: isMeasured, at: now.wall)
        requests.add(request, number: number, deadline: now.monotonic.advanced(by: plan.timeout + Self.grace))
        return command(of: request, number, as: .command, over: request.connection)
    }

    /// Returns the cancel of a request, or its retry over the next connection.
    private func followUp(of request: Outstanding, _ number: UInt64) -> LoadMessage {
        guard request.fate == .cancelled else {
            return command(of: request, number, as: .retry, over: (request.connection + 1) % plan.connections)
        }
        let body = ClientRequest.Body.cancel(request.requestID, timeout: plan.timeout)
        return message(body, number, as: .cancel, over: request.connection)
    }

    private func command(
        of request: Outstanding, _ number: UInt64, as part: LoadMessage.Part, over connection: Int
    ) -> LoadMessage {
        let command = Command(
            requestID: request.requestID, device: request.device, kind: .toggle, timeout: plan.timeout)
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
        guard let (number, part) = reply.correlation.correlated,
            let (request, isFirst) = requests.answer(number, part)
        else { return }
        if case .cancel = part {
            let sentAt = request.followedAt ?? request.intended
            record(request.isMeasured) { $0.endCancel(reply.body, took: sentAt.duration(to: now)) }
        } else if isFirst {
            record(request.isMeasured) { $0.end(request, with: reply.body, at: now) }
            if request.fate == .retried { requests.store(FirstReply(reply.body), to: number) }
        } else if let first = requests.removeFirstReply(to: number) {
            record(request.isMeasured) { $0.compare(first, FirstReply(reply.body)) }
        }
    }

    /// Gives up requests whose replies did not arrive in time.
    public mutating func turn(at now: MonotonicTime) {
        while let (number, request) = requests.nextTimedOut(at: now) {
            giveUp(number, in: request.sentAt == nil ? .notSent : .noAnswer)
        }
    }

    mutating func giveUp(_ number: UInt64, in silence: LoadRecorder.Silence) {
        guard let request = requests.remove(number) else { return }
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
    init(correlation number: UInt64, _ part: LoadMessage.Part) { self = number << 2 | part.rawValue }

    /// The request number and the part that a correlation ID encodes; nil if the part is unknown.
    var correlated: (number: UInt64, part: LoadMessage.Part)? {
        LoadMessage.Part(rawValue: self & 3).map { (self >> 2, $0) }
    }
}
