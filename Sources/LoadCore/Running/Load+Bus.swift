public import FleetProtocol

/// The messages of a load as requests and replies of the wire protocol.
extension LoadMessage {
    /// The message as a request of a session.
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

extension Load {
    /// Handles a reply; drops it if its request is not outstanding or already has a reply to that message.
    ///
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
}

extension UInt64 {
    /// The correlation ID of a part of a request; never 0, because request numbers start at 1.
    init(correlation number: UInt64, _ part: LoadMessage.Part) { self = number << 2 | part.rawValue }

    /// The request number and the part that a correlation ID encodes; nil if the part is unknown.
    var correlated: (number: UInt64, part: LoadMessage.Part)? {
        LoadMessage.Part(rawValue: self & 3).map { (self >> 2, $0) }
    }
}
