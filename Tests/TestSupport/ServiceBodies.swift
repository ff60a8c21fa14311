public import FleetProtocol

// Requests and replies of account services, as tests write and read them.

extension ClientRequest.Body {
    public static func logbook(_ request: LogbookRequest) -> Self { .service(ServiceMessage(request)) }
    public static func sites(_ request: SiteRequest) -> Self { .service(ServiceMessage(request)) }
    public static func roster(_ request: RosterRequest) -> Self { .service(ServiceMessage(request)) }
    public static func commandQueues(_ request: QueueRequest) -> Self { .service(ServiceMessage(request)) }

    /// The request of an account service.
    public enum Decoded {
        case logbook(LogbookRequest)
        case sites(SiteRequest)
        case roster(RosterRequest)
        case commandQueues(QueueRequest)
    }

    /// The decoded request of an account service; nil for other requests and undecodable content.
    public var decoded: Decoded? {
        guard case .service(let message) = self else { return nil }
        if let request = try? message.request(as: LogbookRequest.self) { return .logbook(request) }
        if let request = try? message.request(as: SiteRequest.self) { return .sites(request) }
        if let request = try? message.request(as: RosterRequest.self) { return .roster(request) }
        if let request = try? message.request(as: QueueRequest.self) { return .commandQueues(request) }
        return nil
    }
}

extension ClientReply.Body {
    public static func logbook(_ reply: LogbookReply) -> Self {
        .service(ServiceMessage(reply, to: LogbookRequest.self))
    }

    public static func sites(_ reply: SiteReply) -> Self {
        .service(ServiceMessage(reply, to: SiteRequest.self))
    }

    public static func roster(_ reply: RosterReply) -> Self {
        .service(ServiceMessage(reply, to: RosterRequest.self))
    }

    public static func commandQueues(_ reply: QueueReply) -> Self {
        .service(ServiceMessage(reply, to: QueueRequest.self))
    }

    /// The reply of an account service.
    public enum Decoded {
        case logbook(LogbookReply)
        case sites(SiteReply)
        case roster(RosterReply)
        case commandQueues(QueueReply)
    }

    /// The decoded reply of an account service; nil for other replies and undecodable content.
    public var decoded: Decoded? {
        guard case .service(let message) = self else { return nil }
        if let reply = try? message.reply(to: LogbookRequest.self) { return .logbook(reply) }
        if let reply = try? message.reply(to: SiteRequest.self) { return .sites(reply) }
        if let reply = try? message.reply(to: RosterRequest.self) { return .roster(reply) }
        if let reply = try? message.reply(to: QueueRequest.self) { return .commandQueues(reply) }
        return nil
    }

    /// The whole content as text, including that of a service.
    public var text: String { decoded.map { "\($0)" } ?? "\(self)" }
}
