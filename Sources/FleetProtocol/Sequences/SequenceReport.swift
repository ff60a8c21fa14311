public import FleetTime

/// How a sequence stands.
public enum SequenceState: UInt8, CaseIterable, Hashable, Sendable {
    /// Its commands run one after another.
    case running
    /// The command that runs ends, and the next waits.
    case paused
    /// The command that runs ends, and those behind are left out.
    case stopping
    /// The command that runs is taken back, and those behind are left out.
    case cancelling
    /// All its commands were carried out.
    case done
    /// A command failed; those behind were left out, unless the plan has it go on.
    case failed
    /// It was stopped, and commands were left out.
    case stopped
    /// It was cancelled, and commands were taken back or left out.
    case cancelled

    /// Whether it can never become another.
    public var isFinal: Bool {
        switch self {
        case .running, .paused, .stopping, .cancelling: false
        case .done, .failed, .stopped, .cancelled: true
        }
    }

    /// Its word in documents and JSON.
    public var name: String { "\(self)" }
}

/// How a command of a sequence ended.
public struct SequenceEnd: Hashable, Sendable {
    /// What is known of it.
    public enum Kind: UInt8, CaseIterable, Hashable, Sendable {
        /// As a request's outcome of that name.
        case applied, unchanged, conflict, rejected, cancelled, expired, undetermined
        /// The controller did not let it in: its device was offline, for example. Nothing was done.
        case refused
        /// It was sent before a restart of the controller, and what became of it is not remembered any more.
        case forgotten

        /// Its word in documents and JSON.
        public var name: String { "\(self)" }

        /// Whether what it was to do is so now.
        public var isSuccess: Bool { self == .applied || self == .unchanged }
    }

    /// What is known of it.
    public let kind: Kind
    /// Why, in words, at most ``Limits/sequenceExplanationBytes`` bytes; empty where the kind says all.
    public let explanation: String
    /// When the controller knew.
    public let endedAt: WallTime

    /// The end of those values; of a longer explanation, as much as fits.
    public init(_ kind: Kind, _ explanation: String = "", at endedAt: WallTime) {
        self.kind = kind
        self.explanation = explanation.cut(toBytes: Limits.sequenceExplanationBytes)
        self.endedAt = endedAt
    }
}

/// How a command of a sequence stands.
public enum SequenceProgress: Hashable, Sendable {
    /// Its turn has not come.
    case waiting
    /// Its turn came when its request was made.
    case running(RequestID)
    /// It has ended.
    case ended(RequestID, SequenceEnd)
    /// The sequence ended before its turn came.
    case leftOut
}

/// A sequence, and how far it is.
public struct SequenceReport: Hashable, Sendable {
    /// Its identity, made by whoever started it.
    public let id: RequestID
    /// What it is to do.
    public let plan: SequencePlan
    /// Who started it.
    public let author: Email
    /// When the controller took it.
    public let startedAt: WallTime
    /// How it stands.
    public var state: SequenceState
    /// When it ended; nil while it has not.
    public var endedAt: WallTime?
    /// How each command stands, in the order of the plan.
    public var progress: [SequenceProgress]

    /// The report of those values.
    ///
    /// - Precondition: There is as much progress as there are commands.
    public init(
        id: RequestID, plan: SequencePlan, author: Email, startedAt: WallTime, state: SequenceState,
        endedAt: WallTime? = nil, progress: [SequenceProgress]
    ) {
        precondition(progress.count == plan.commands.count, "each command of a sequence stands somewhere")
        self.id = id
        self.plan = plan
        self.author = author
        self.startedAt = startedAt
        self.state = state
        self.endedAt = endedAt
        self.progress = progress
    }

    /// The place of the command that runs, from 0; nil where none does.
    public var current: Int? {
        progress.firstIndex { if case .running = $0 { true } else { false } }
    }

    /// How many commands have ended.
    public var endedCount: Int { ends.count }

    /// How many commands have failed.
    public var failedCount: Int { ends.count { !$0.kind.isSuccess } }

    /// What there is to say of it without its commands.
    public var summary: SequenceSummary {
        SequenceSummary(
            id: id, author: author, startedAt: startedAt, state: state, endedAt: endedAt,
            commands: UInt32(plan.commands.count), ended: UInt32(endedCount), failed: UInt32(failedCount))
    }

    private var ends: [SequenceEnd] {
        progress.compactMap { if case .ended(_, let end) = $0 { end } else { nil } }
    }
}

/// A sequence in a list.
public struct SequenceSummary: Hashable, Sendable {
    /// Its identity.
    public let id: RequestID
    /// Who started it.
    public let author: Email
    /// When the controller took it.
    public let startedAt: WallTime
    /// How it stands.
    public let state: SequenceState
    /// When it ended; nil while it has not.
    public let endedAt: WallTime?
    /// How many commands it has.
    public let commands: UInt32
    /// How many of them have ended.
    public let ended: UInt32
    /// How many of those have failed.
    public let failed: UInt32

    /// The summary of those values.
    public init(
        id: RequestID, author: Email, startedAt: WallTime, state: SequenceState, endedAt: WallTime?,
        commands: UInt32, ended: UInt32, failed: UInt32
    ) {
        self.id = id
        self.author = author
        self.startedAt = startedAt
        self.state = state
        self.endedAt = endedAt
        self.commands = commands
        self.ended = ended
        self.failed = failed
    }
}
