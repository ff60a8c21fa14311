extension QueueState {
    /// Whether the state is final.
    public var isFinal: Bool {
        switch self {
        case .running, .paused, .stopping, .cancelling: false
        case .done, .failed, .stopped, .cancelled: true
        }
    }

    /// The name in documents and JSON.
    public var name: String { "\(self)" }
}

/// How a command of a queue ended.
public struct QueuedOutcome: Hashable, Sendable {
    /// The kind.
    public let kind: Kind
    /// The reason, at most ``Limits/queueExplanationBytes`` bytes; empty if the kind says all.
    public let explanation: String
    /// The time at which the controller received it.
    public let endedAt: WallTime

    /// A result with the given values; a longer explanation is truncated.
    public init(_ kind: Kind, _ explanation: String = "", at endedAt: WallTime) {
        self.kind = kind
        self.explanation = explanation.cut(toBytes: Limits.queueExplanationBytes)
        self.endedAt = endedAt
    }
}

/// A command queue with its progress.
public struct QueueReport: Hashable, Sendable {
    /// The ID, created by the client that started it.
    public let id: RequestID
    /// The plan.
    public let plan: QueuePlan
    /// The user who started it.
    public let author: Email
    /// The time at which the controller received it.
    public let startedAt: WallTime
    /// The state.
    public var state: QueueState
    /// The time at which it ended; nil before.
    public var endedAt: WallTime?
    /// The progress of each command, in the order of the plan.
    public var progress: [QueueProgress]

    /// A report with the given values.
    ///
    /// - Precondition: There is one progress value for each command.
    public init(
        id: RequestID, plan: QueuePlan, author: Email, startedAt: WallTime, state: QueueState,
        endedAt: WallTime? = nil, progress: [QueueProgress]
    ) {
        precondition(progress.count == plan.commands.count, "one progress value for each command")
        (self.id, self.plan, self.author, self.startedAt) = (id, plan, author, startedAt)
        (self.state, self.endedAt, self.progress) = (state, endedAt, progress)
    }

    /// The position of the running command, from 0; nil if none is running.
    public var current: Int? {
        progress.firstIndex { if case .running = $0 { true } else { false } }
    }

    /// The number of ended commands.
    public var endedCount: Int { ends.count }

    /// The number of failed commands.
    public var failedCount: Int { ends.count { !$0.kind.isSuccess } }

    /// The summary without the commands.
    public var summary: QueueSummary {
        QueueSummary(
            id: id, author: author, startedAt: startedAt, state: state, endedAt: endedAt,
            commands: UInt32(plan.commands.count), ended: UInt32(endedCount), failed: UInt32(failedCount))
    }

    private var ends: [QueuedOutcome] {
        progress.compactMap { if case .ended(_, let end) = $0 { end } else { nil } }
    }
}

extension QueuedOutcome.Kind {
    /// The name in documents and JSON.
    public var name: String { "\(self)" }

    /// Whether the device has the requested state.
    public var isSuccess: Bool { self == .applied || self == .unchanged }
}
