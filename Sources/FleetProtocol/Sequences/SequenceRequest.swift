/// A change of the state of a sequence that has not ended; each may be repeated.
public enum SequenceSteering: UInt8, CaseIterable, Hashable, Sendable {
    /// The running command ends, and the next waits.
    case pause
    /// A paused sequence continues.
    case resume
    /// The running command ends, and later ones are skipped.
    case stop
    /// The running command is cancelled if there is still time, and later ones are skipped.
    case cancel
}

/// A request about the command queues of the user's account.
public enum SequenceRequest: Sendable, Equatable, ServiceRequest {
    /// Starts a command queue under an ID made for it, or returns its state if it was started.
    case start(RequestID, SequencePlan)
    /// Returns the state of a command queue.
    case report(RequestID)
    /// Lists command queues, the newest first, before the given one; nil starts with the newest.
    ///
    /// `limit` is 1 to ``Limits/chunkSequences``.
    case list(before: RequestID?, limit: UInt32)
    /// Pauses, resumes, stops or cancels a command queue.
    case steer(RequestID, SequenceSteering)

    /// The reply to a ``SequenceRequest``.
    public typealias Reply = SequenceReply

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

/// The controller's reply to a ``SequenceRequest``.
public enum SequenceReply: Sendable, Equatable {
    /// The state of a command queue.
    case report(SequenceReport)
    /// Some of the command queues, the newest first.
    case list(SequenceList)
}

/// Some of an account's sequences, the newest first.
public struct SequenceList: Hashable, Sendable {
    /// The sequences.
    public let sequences: [SequenceSummary]
    /// Whether these are the oldest.
    public let isLast: Bool

    /// A list of sequences.
    public init(sequences: [SequenceSummary], isLast: Bool) {
        (self.sequences, self.isLast) = (sequences, isLast)
    }
}
