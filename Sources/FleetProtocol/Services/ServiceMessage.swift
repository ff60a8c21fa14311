/// The name of an account service: 1 to 32 of `[a-z_]`.
public struct ServiceName: Hashable, Sendable, CustomStringConvertible {
    /// The name.
    public let text: String

    /// The name of that text; nil when it is not allowed.
    public init?(_ text: String) {
        let isAllowed = text.utf8.allSatisfy { $0.isLowercaseLetter || $0 == UInt8(ascii: "_") }
        guard isAllowed, (1...32).contains(text.utf8.count) else { return nil }
        self.text = text
    }

    /// The name, for services that this package defines.
    public init(constant text: StaticString) { self.text = text.description }

    /// The name.
    public var description: String { text }
}

/// A message of an account service, which travels in requests, replies and updates.
///
/// The engine and its clients pass it on without knowing its content.
public struct ServiceMessage: Sendable, Equatable {
    /// The service.
    public let service: ServiceName
    /// The bytes of the service's own message.
    public let content: [UInt8]

    /// A message with the given values.
    public init(service: ServiceName, content: [UInt8]) {
        (self.service, self.content) = (service, content)
    }

    /// The message that carries a request.
    public init<Request: ServiceRequest>(_ request: Request) {
        self.init(service: Request.service, content: request.wireBytes)
    }

    /// The message that carries the reply to a request of that type.
    public init<Request: ServiceRequest>(_ reply: Request.Reply, to: Request.Type) {
        self.init(service: Request.service, content: reply.wireBytes)
    }

    /// The request that it carries; nil if it is a message of another service.
    ///
    /// - Throws: `WireError` when the content is not such a request.
    public func request<Request: ServiceRequest>(as type: Request.Type) throws(WireError) -> Request? {
        service == Request.service ? try Request(wireBytes: content) : nil
    }

    /// The reply that it carries; nil if it is a message of another service.
    ///
    /// - Throws: `WireError` when the content is not such a reply.
    public func reply<Request: ServiceRequest>(to type: Request.Type) throws(WireError) -> Request.Reply? {
        service == Request.service ? try Request.Reply(wireBytes: content) : nil
    }
}

/// A request of an account service.
public protocol ServiceRequest: WireMessage, Equatable {
    associatedtype Reply: WireMessage, Equatable

    static var service: ServiceName { get }
    /// What clients and the controller may do with the request.
    var traits: RequestTraits { get }
}

/// When a client sends a request again that has no reply.
public enum RetryPolicy: Sendable {
    /// Never: carrying it out twice has another effect than once.
    case never
    /// After a reconnect: the reply may have been lost with the connection.
    case onReconnect
    /// After a reconnect, and after a second without a reply.
    case onSilence
}

/// What clients and the controller may do with a type of request.
public struct RequestTraits: Sendable {
    /// When a client sends it again.
    public let retry: RetryPolicy
    /// The scope that an API key needs for it; nil: it needs a session.
    public let keyScope: APIKey.Scope?
    /// Whether it changes nothing: it is useless to a client that cannot receive the reply.
    public let isReadOnly: Bool

    /// Traits with the given values.
    public init(retry: RetryPolicy, keyScope: APIKey.Scope?, isReadOnly: Bool = false) {
        (self.retry, self.keyScope, self.isReadOnly) = (retry, keyScope, isReadOnly)
    }

    /// A request that reads, which every API key may send.
    public static let read = RequestTraits(retry: .onReconnect, keyScope: .read, isReadOnly: true)

    /// A command, or the cancel of one.
    public static let switching = RequestTraits(retry: .onSilence, keyScope: .switch)
}
