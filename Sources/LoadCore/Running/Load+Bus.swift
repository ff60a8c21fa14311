public import FleetProtocol
public import FleetTime

/// The messages of a load as requests and replies of the wire protocol.
extension LoadMessage {
    /// The message as a request of a session.
    public func request(as token: Token) -> ClientRequest {
        let body: ClientRequest.Body =
            switch part {
            case .command, .retry:
                .command(Command(requestID: requestID, device: device, kind: .toggle, timeout: timeout))
            case .cancel: .cancel(requestID, timeout: timeout)
            }
        return ClientRequest(correlation: UInt64(correlation: number, part), token: token, body: body)
    }
}

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
            record(request.isMeasured) { $0.end(request, with: LoadAnswer(reply.body), at: now) }
            if request.fate == .retried { requests.store(FirstReply(reply.body), to: number) }
        } else if let first = requests.removeFirstReply(to: number) {
            record(request.isMeasured) { $0.compare(first, FirstReply(reply.body)) }
        }
    }
}

extension LoadAnswer {
    /// The answer that a reply of the controller contains.
    init(_ body: ClientReply.Body) {
        self =
            switch body {
            case .outcome(let report):
                if case .applied = report.outcome {
                    .applied(report.timing)
                } else {
                    .failed(report.outcome.name)
                }
            case .refusal(let refusal): .failed(refusal.name)
            default: .failed(Self.unexpected)
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
