public import Stepping

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

/// How a request ended, as its client, every repeat and every observer hear it.
public struct OutcomeReport: Hashable, Sendable {
    /// Where the time went, in microseconds.
    public struct Timing: Hashable, Sendable {
        /// From the request's arrival at the controller to its end.
        public var totalUs: UInt64
        /// In the lane, until the first command left.
        public var queueUs: UInt64
        /// From the last command's leaving to its answer, less the device's part.
        public var wireUs: UInt64
        /// In the device.
        public var deviceUs: UInt64
        /// In the journal.
        public var journalUs: UInt64

        /// The timing of those parts.
        public init(
            totalUs: UInt64 = 0, queueUs: UInt64 = 0, wireUs: UInt64 = 0, deviceUs: UInt64 = 0,
            journalUs: UInt64 = 0
        ) {
            self.totalUs = totalUs
            self.queueUs = queueUs
            self.wireUs = wireUs
            self.deviceUs = deviceUs
            self.journalUs = journalUs
        }
    }

    /// The request.
    public let requestID: RequestID
    /// Its device; nil for an id that was cancelled before its request arrived.
    public let device: DeviceID?
    /// How it ended.
    public let outcome: Outcome
    /// Who asked.
    public let actor: Email
    /// The device's version before, where the request reached the device: by its own word where it answered,
    /// otherwise the last one known before the command left.
    public let versionBefore: Version
    /// How often a command left for the device.
    public let attempts: UInt32
    /// Which kind of command it was; nil where nobody knows: of an id that was cancelled before its request
    /// arrived, and from a controller that does not say.
    public var command: CommandKind?
    /// Where the time went.
    public let timing: Timing

    /// The report of those parts.
    public init(
        requestID: RequestID, device: DeviceID?, outcome: Outcome, actor: Email,
        versionBefore: Version = .zero, attempts: UInt32 = 0, command: CommandKind? = nil,
        timing: Timing = Timing()
    ) {
        self.requestID = requestID
        self.device = device
        self.outcome = outcome
        self.actor = actor
        self.versionBefore = versionBefore
        self.attempts = attempts
        self.command = command
        self.timing = timing
    }
}

/// Why one message was not accepted: nothing was started, and the same id may come again.
public enum Refusal: Hashable, Sendable {
    /// The device is offline; nil: it was not heard of since the controller started.
    case offline(lastSeen: WallTime?)
    /// A bound is reached; worth trying again after that time.
    case busy(retryAfter: Duration)
    /// The controller's disk is full, and nothing can be committed; worth trying again after that time.
    case storageFull(retryAfter: Duration)
    /// No token, or none that is valid.
    case unauthenticated
    /// No such device or request, or not this account's.
    case notFound
    /// The message breaks a rule; which, in words.
    case invalid(String)
    /// The id was used before, for something else.
    case idMismatch
    /// The id is older than what is remembered, by that much.
    case idTooOld(behind: Duration)
    /// The user may not do this; why, in words.
    case notAllowed(String)
    /// The user may not do this while others are on duty, or nobody.
    case offDuty(OffDuty)

    /// How long to wait before trying again; nil where that would change nothing.
    public var retryAfter: Duration? {
        switch self {
        case .busy(let pause), .storageFull(let pause): pause
        case .offline, .unauthenticated, .notFound, .invalid, .idMismatch, .idTooOld, .notAllowed, .offDuty:
            nil
        }
    }

    /// Its word in documents and JSON.
    public var name: String {
        switch self {
        case .offline: "offline"
        case .busy, .storageFull: "busy"
        case .unauthenticated: "unauthenticated"
        case .notFound: "notFound"
        case .invalid: "invalid"
        case .idMismatch: "idMismatch"
        case .idTooOld: "idTooOld"
        case .notAllowed: "notAllowed"
        case .offDuty: "offDuty"
        }
    }
}

/// Why somebody may not switch devices where only people on duty, and owners, do.
public enum OffDuty: UInt8, Hashable, Sendable, CaseIterable {
    /// The account has no shifts.
    case noRoster
    /// Nobody is on duty now.
    case nobody
    /// Others are on duty.
    case others
}
