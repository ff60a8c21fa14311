/// The typed end of a request.
public enum Outcome: Hashable, Sendable {
    /// Done, once.
    case applied(DeviceState)
    /// A `set` to what already was.
    case unchanged(DeviceState)
    /// The expected version no longer holds; nothing done.
    case conflict(DeviceState)
    /// The device said no; the text names the value and what is allowed.
    case rejected(String)
    /// Never applied, and never will be.
    case cancelled
    /// Its deadline passed; never applied, and never will be.
    case expired
    /// Final, and honest: nobody can know any more.
    case undetermined(UndeterminedReason)
    /// Not final: sent, and no answer yet.
    case unknown

    /// Whether it can never become another.
    public var isFinal: Bool { self != .unknown }

    /// The state that the device was left at, where the outcome tells.
    public var state: DeviceState? {
        switch self {
        case .applied(let state), .unchanged(let state), .conflict(let state): state
        case .rejected, .cancelled, .expired, .undetermined, .unknown: nil
        }
    }

    /// Its word in documents and JSON.
    public var name: String {
        switch self {
        case .applied: "applied"
        case .unchanged: "unchanged"
        case .conflict: "conflict"
        case .rejected: "rejected"
        case .cancelled: "cancelled"
        case .expired: "expired"
        case .undetermined: "undetermined"
        case .unknown: "unknown"
        }
    }
}

/// Why nobody can know what became of a request.
public enum UndeterminedReason: UInt8, CaseIterable, Hashable, Sendable {
    /// The device lost its memory before it could be asked.
    case deviceReset
    /// The device stayed away through the whole retention.
    case deviceGone
    /// The controller's journal went back: the device has taken later commands, or may have taken this one,
    /// and the journal knows nothing of that.
    case superseded
}

/// A device's state with the version that counts it.
public struct DeviceState: Hashable, Sendable {
    /// What it is set to.
    public let state: ACState
    /// How often it has changed.
    public let version: Version
    /// The life of the memory in which the version counts.
    public let incarnation: Incarnation

    /// That state at that version.
    public init(state: ACState, version: Version, incarnation: Incarnation) {
        self.state = state
        self.version = version
        self.incarnation = incarnation
    }

    /// What a client would name to act on just this state.
    public var expectation: Expectation { Expectation(incarnation: incarnation, version: version) }
}
