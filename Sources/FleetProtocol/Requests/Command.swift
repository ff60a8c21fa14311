extension Command {
    /// The change to make.
    public enum Kind: Hashable, Sendable {
        /// Switches the device off if it is on, and on if it is off.
        case toggle
        /// An absolute change.
        case set(ACStateChange)
        /// An absolute change of the assumed state, without a signal, because a user saw that the air
        /// conditioner is already in that state.
        case correct(ACStateChange)
        /// A change of the automatic settings, such as Climate React, the timer and the filter counter.
        indirect case configure(SettingChange)

        /// Whether the command changes only the assumed state.
        public var isCorrection: Bool { if case .correct = self { true } else { false } }

        /// The change of the device's settings; nil for a command that changes its state.
        public var setting: SettingChange? { if case .configure(let change) = self { change } else { nil } }
    }
}

extension CommandKind {
    /// The name in documents and JSON.
    public var name: String { "\(self)" }
}

extension Command.Kind {
    /// The kind of the command.
    public var kind: CommandKind {
        switch self {
        case .toggle: .toggle
        case .set: .set
        case .correct: .correct
        case .configure: .configure
        }
    }
}

/// The reply to a cancel.
public enum CancelReply: Hashable, Sendable {
    /// Never applied, and never will be.
    case cancelled
    /// The request had already ended.
    case tooLate(OutcomeReport)
    /// Not final: the abort was sent to the device and has no result yet.
    case pending

    /// The name in documents and JSON.
    public var name: String {
        switch self {
        case .cancelled: "cancelled"
        case .tooLate: "tooLate"
        case .pending: "cancelPending"
        }
    }
}
