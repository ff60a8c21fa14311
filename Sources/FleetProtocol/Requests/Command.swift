/// What a client asks of a device.
public struct Command: Hashable, Sendable {
    /// What shall be done.
    public enum Kind: Hashable, Sendable {
        /// On becomes off and off becomes on.
        case toggle
        /// An absolute change.
        case set(ACStateChange)
        /// An absolute change of what the device assumes, without a signal: somebody saw that its air
        /// conditioner is so already.
        case correct(ACStateChange)
        /// A change of what the device does by itself: Climate React, its timer, the count of its filters.
        indirect case configure(SettingChange)

        /// Whether it changes only what the device assumes.
        public var isCorrection: Bool { if case .correct = self { true } else { false } }

        /// What it changes of the device's settings; nil where it changes its state.
        public var setting: SettingChange? { if case .configure(let change) = self { change } else { nil } }
    }

    /// The identity of the intention.
    public let requestID: RequestID
    /// The device.
    public let device: DeviceID
    /// What shall be done.
    public let kind: Kind
    /// The state that the client saw; nil when any will do.
    public let expected: Expectation?
    /// How much longer the client waits; nil stands for ``Limits/defaultPatience``.
    ///
    /// The controller refuses a value that is not above zero or is above ``Limits/longestPatience``.
    public let patience: Duration?

    /// The command of those parts.
    public init(
        requestID: RequestID, device: DeviceID, kind: Kind, expected: Expectation? = nil,
        patience: Duration? = nil
    ) {
        self.requestID = requestID
        self.device = device
        self.kind = kind
        self.expected = expected
        self.patience = patience
    }
}

/// The kind of a command, without its parameters.
public enum CommandKind: UInt8, CaseIterable, Hashable, Sendable {
    /// On becomes off and off becomes on.
    case toggle
    /// An absolute change of the device's state.
    case set
    /// An absolute change of what the device assumes, without a signal.
    case correct
    /// A change of the device's automatic settings.
    case configure

    /// The name in documents and JSON.
    public var name: String { "\(self)" }
}

extension Command.Kind {
    /// Which kind it is.
    public var kind: CommandKind {
        switch self {
        case .toggle: .toggle
        case .set: .set
        case .correct: .correct
        case .configure: .configure
        }
    }
}

/// The state that a client saw; the device applies the request only if it still has that version.
public struct Expectation: Hashable, Sendable {
    /// The incarnation of the device's memory that the version belongs to.
    public let incarnation: Incarnation
    /// The version seen.
    public let version: Version

    /// That version of that incarnation.
    public init(incarnation: Incarnation, version: Version) {
        self.incarnation = incarnation
        self.version = version
    }
}

/// The reply to a cancel.
public enum CancelAnswer: Hashable, Sendable {
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
