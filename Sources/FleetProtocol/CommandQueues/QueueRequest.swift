/// A change of the state of a command queue that has not ended; each may be repeated.
public enum QueueSteering: UInt8, CaseIterable, Hashable, Sendable {
    /// The running command ends, and the next waits.
    case pause
    /// A paused command queue continues.
    case resume
    /// The running command ends, and later ones are skipped.
    case stop
    /// The running command is cancelled if there is still time, and later ones are skipped.
    case cancel
}

/// A request about the command queues of the user's account.
public enum QueueRequest: Sendable, Equatable, ServiceRequest {
    /// Starts a command queue under an ID made for it, or returns its state if it was started.
    case start(RequestID, QueuePlan)
    /// Returns the state of a command queue.
    case report(RequestID)
    /// Lists command queues, the newest first, before the given one; nil starts with the newest.
    ///
    /// `limit` is 1 to ``Limits/chunkQueues``.
    case list(before: RequestID?, limit: UInt32)
    /// Pauses, resumes, stops or cancels a command queue.
    case steer(RequestID, QueueSteering)

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

/// The controller's reply to a ``QueueRequest``.
public enum QueueReply: Sendable, Equatable {
    /// The state of a command queue.
    case report(QueueReport)
    /// Some of the command queues, the newest first.
    case list(QueueList)
}

/// Some of an account's command queues, the newest first.
public struct QueueList: Hashable, Sendable {
    /// The queues.
    public let queues: [QueueSummary]
    /// Whether these are the oldest.
    public let isLast: Bool

    /// A list of queues.
    public init(queues: [QueueSummary], isLast: Bool) {
        (self.queues, self.isLast) = (queues, isLast)
    }
}
