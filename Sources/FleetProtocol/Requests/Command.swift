/// A client's request to change a device.
///
/// ```swift
/// // A client makes the request ID once, and repeats the request under it.
/// let requestID = RequestID(at: now, using: &generator)
/// let device = DeviceID(fleetSeed: 1, index: 0)
/// let change = ACStateChange(mode: .heat, targetTemperature: 21)
/// let command = Command(requestID: requestID, device: device, kind: .set(change))
/// ```
public struct Command: Hashable, Sendable {
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

    /// The request ID (idempotency key).
    public let requestID: RequestID
    /// The device.
    public let device: DeviceID
    /// The change to make.
    public let kind: Kind
    /// The state that the client saw; nil to accept any state.
    public let expected: Expectation?
    /// The time that the client still waits; nil for ``Limits/defaultTimeout``.
    ///
    /// The controller refuses a value that is not above zero or is above ``Limits/longestTimeout``.
    public let timeout: Duration?

    /// A command with the given values.
    public init(
        requestID: RequestID, device: DeviceID, kind: Kind, expected: Expectation? = nil,
        timeout: Duration? = nil
    ) {
        (self.requestID, self.device, self.kind) = (requestID, device, kind)
        (self.expected, self.timeout) = (expected, timeout)
    }
}

/// The kind of a command, without its parameters.
public enum CommandKind: UInt8, CaseIterable, Hashable, Sendable {
    /// Switches the device off if it is on, and on if it is off.
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

/// The state that a client saw; the device applies the request only if it still has that version.
public struct Expectation: Hashable, Sendable {
    /// The incarnation of the device's memory that the version belongs to.
    public let incarnation: Incarnation
    /// The version seen.
    public let version: Version

    /// That version of that incarnation.
    public init(incarnation: Incarnation, version: Version) {
        (self.incarnation, self.version) = (incarnation, version)
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
