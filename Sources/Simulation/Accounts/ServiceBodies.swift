import FleetProtocol

// Requests and replies of account services, as simulated clients write and read them.

extension ClientRequest.Body {
    static func logbook(_ request: LogbookRequest) -> Self { .service(ServiceMessage(request)) }
    static func sites(_ request: SiteRequest) -> Self { .service(ServiceMessage(request)) }
    static func roster(_ request: RosterRequest) -> Self { .service(ServiceMessage(request)) }
    static func commandQueues(_ request: QueueRequest) -> Self { .service(ServiceMessage(request)) }
    static func labels(_ request: LabelRequest) -> Self { .service(ServiceMessage(request)) }

    /// The request of an account service.
    enum Decoded {
        case logbook(LogbookRequest)
        case sites(SiteRequest)
        case roster(RosterRequest)
        case commandQueues(QueueRequest)
        case labels(LabelRequest)
    }

    /// The decoded request of an account service; nil for other requests and undecodable content.
    var decoded: Decoded? {
        guard case .service(let message) = self else { return nil }
        if let request = try? message.request(as: LogbookRequest.self) { return .logbook(request) }
        if let request = try? message.request(as: SiteRequest.self) { return .sites(request) }
        if let request = try? message.request(as: RosterRequest.self) { return .roster(request) }
        if let request = try? message.request(as: QueueRequest.self) { return .commandQueues(request) }
        if let request = try? message.request(as: LabelRequest.self) { return .labels(request) }
        return nil
    }
}

extension ClientReply.Body {
    /// The reply of an account service.
    enum Decoded {
        case logbook(LogbookReply)
        case sites(SiteReply)
        case roster(RosterReply)
        case commandQueues(QueueReply)
        case labels(LabelReply)
    }

    /// The decoded reply of an account service; nil for other replies and undecodable content.
    var decoded: Decoded? {
        guard case .service(let message) = self else { return nil }
        if let reply = try? message.reply(to: LogbookRequest.self) { return .logbook(reply) }
        if let reply = try? message.reply(to: SiteRequest.self) { return .sites(reply) }
        if let reply = try? message.reply(to: RosterRequest.self) { return .roster(reply) }
        if let reply = try? message.reply(to: QueueRequest.self) { return .commandQueues(reply) }
        if let reply = try? message.reply(to: LabelRequest.self) { return .labels(reply) }
        return nil
    }
}
