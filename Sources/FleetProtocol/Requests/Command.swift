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
    /// What is not above zero, or above ``Limits/longestPatience``, is refused.
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
