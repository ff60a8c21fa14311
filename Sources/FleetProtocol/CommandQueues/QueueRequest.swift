extension QueueRequest: ServiceRequest {
    /// The reply to a ``QueueRequest``.
    public typealias Reply = QueueReply

    /// The service `command_queues`.
    public static let service = ServiceName(constant: "command_queues")

    /// A start has an ID and may be sent again, and so may a steering.
    public var traits: RequestTraits {
        switch self {
        case .report, .list: .read
        case .start, .steer: RequestTraits(retry: .onSilence, keyScope: .switch)
        }
    }
}
