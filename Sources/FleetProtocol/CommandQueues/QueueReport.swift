/// The state of a command queue.
public enum QueueState: UInt8, CaseIterable, Hashable, Sendable {
    /// Its commands run one after another.
    case running
    /// The running command ends, and the next waits.
    case paused
    /// The running command ends, and later ones are skipped.
    case stopping
    /// The running command is being cancelled, and later ones are skipped.
    case cancelling
    /// All commands succeeded.
    case done
    /// A command failed; later ones were skipped, unless the plan continues on failure.
    case failed
    /// It was stopped, and commands were skipped.
    case stopped
    /// It was cancelled, and commands were cancelled or skipped.
    case cancelled

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
    /// The kinds of results.
    public enum Kind: UInt8, CaseIterable, Hashable, Sendable {
        /// The request's outcome with the same name.
        case applied, unchanged, conflict, rejected, cancelled, expired, undetermined
        /// The controller refused the request, for example because its device was offline; nothing was done.
        case refused
        /// It was sent before a restart of the controller, and its outcome is no longer stored.
        case forgotten

        /// The name in documents and JSON.
        public var name: String { "\(self)" }

        /// Whether the device has the requested state.
        public var isSuccess: Bool { self == .applied || self == .unchanged }
    }

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

/// The progress of a command of a queue.
public enum QueueProgress: Hashable, Sendable {
    /// It has not started.
    case waiting
    /// It runs under that request ID.
    case running(RequestID)
    /// It has ended.
    case ended(RequestID, QueuedOutcome)
    /// It was skipped, because the command queue ended first.
    case skipped
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

/// A command queue in a list.
public struct QueueSummary: Hashable, Sendable {
    /// The ID.
    public let id: RequestID
    /// The user who started it.
    public let author: Email
    /// The time at which the controller received it.
    public let startedAt: WallTime
    /// The state.
    public let state: QueueState
    /// The time at which it ended; nil before.
    public let endedAt: WallTime?
    /// The number of commands.
    public let commands: UInt32
    /// The number of ended commands.
    public let ended: UInt32
    /// The number of failed commands.
    public let failed: UInt32

    /// A summary with the given values.
    public init(
        id: RequestID, author: Email, startedAt: WallTime, state: QueueState, endedAt: WallTime?,
        commands: UInt32, ended: UInt32, failed: UInt32
    ) {
        (self.id, self.author, self.startedAt, self.state) = (id, author, startedAt, state)
        (self.endedAt, self.commands, self.ended, self.failed) = (endedAt, commands, ended, failed)
    }
}

/// A stored record of an account's command queues.
public enum QueueRecord: Hashable, Sendable {
    /// A queue.
    case report(QueueReport)
    /// Queues with IDs up to that time may have been removed.
    case removed(upTo: WallTime)
}
