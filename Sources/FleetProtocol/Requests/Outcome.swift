/// The way in which a request ended.
public enum Outcome: Hashable, Sendable {
    /// The device applied the request exactly once.
    case applied(DeviceState)
    /// A `set` to the state that the device already had.
    case unchanged(DeviceState)
    /// The device has another version than expected, and changed nothing.
    case conflict(DeviceState)
    /// The device rejected the request; the text has the value and the allowed values.
    case rejected(String)
    /// Never applied, and never will be.
    case cancelled
    /// Its deadline passed; never applied, and never will be.
    case expired
    /// Final: whether the device applied the request can no longer be determined.
    case undetermined(UndeterminedReason)
    /// Not final: the command was sent and has no result yet.
    case unknown

    /// Whether the outcome can no longer change.
    public var isFinal: Bool { self != .unknown }

    /// The device's state after the request; nil if the outcome has none.
    public var state: DeviceState? {
        switch self {
        case .applied(let state), .unchanged(let state), .conflict(let state): state
        case .rejected, .cancelled, .expired, .undetermined, .unknown: nil
        }
    }

    /// The name in documents and JSON.
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

/// A device's state with its version.
public struct DeviceState: Hashable, Sendable {
    /// The settings.
    public let state: ACState
    /// The number of changes so far.
    public let version: Version
    /// The incarnation of the device's memory that the version belongs to.
    public let incarnation: Incarnation

    /// That state at that version.
    public init(state: ACState, version: Version, incarnation: Incarnation) {
        (self.state, self.version, self.incarnation) = (state, version, incarnation)
    }

    /// The expectation that limits a request to this state.
    public var expectation: Expectation { Expectation(incarnation: incarnation, version: version) }
}

/// The end of a request, as reported to its client, to retries and to observers.
public struct OutcomeReport: Hashable, Sendable {
    /// The time that each stage of a request took, in microseconds.
    public struct Timing: Hashable, Sendable {
        /// From the request's arrival at the controller to its end.
        public var totalUs: UInt64
        /// The time in the lane until the first command was sent.
        public var queueUs: UInt64
        /// The time from sending the last command to its result, less the device's part.
        public var wireUs: UInt64
        /// The time in the device.
        public var deviceUs: UInt64
        /// The time in the journal.
        public var journalUs: UInt64

        /// Timing with the given values.
        public init(
            totalUs: UInt64 = 0, queueUs: UInt64 = 0, wireUs: UInt64 = 0, deviceUs: UInt64 = 0,
            journalUs: UInt64 = 0
        ) {
            (self.totalUs, self.queueUs, self.wireUs) = (totalUs, queueUs, wireUs)
            (self.deviceUs, self.journalUs) = (deviceUs, journalUs)
        }
    }

    /// The request.
    public let requestID: RequestID
    /// The device; nil for an ID that was cancelled before its request arrived.
    public let device: DeviceID?
    /// How it ended.
    public let outcome: Outcome
    /// The user who sent the request.
    public let user: Email
    /// The device's version before the request reached it: that of the device's result, or else the last
    /// version known before the command was sent.
    public let versionBefore: Version
    /// The number of commands sent to the device.
    public let attempts: UInt32
    /// The kind of command; nil if the request was cancelled before it arrived, or if the controller does not
    /// report the kind.
    public var command: CommandKind?
    /// The time that each stage took.
    public let timing: Timing

    /// A report with the given values.
    public init(
        requestID: RequestID, device: DeviceID?, outcome: Outcome, user: Email,
        versionBefore: Version = .zero, attempts: UInt32 = 0, command: CommandKind? = nil,
        timing: Timing = Timing()
    ) {
        (self.requestID, self.device, self.outcome) = (requestID, device, outcome)
        (self.user, self.versionBefore, self.attempts) = (user, versionBefore, attempts)
        (self.command, self.timing) = (command, timing)
    }
}

/// The reason why the controller refused a message; nothing was started, and the client may reuse the request
/// ID.
public enum Refusal: Error, Hashable, Sendable {
    /// The device is offline; nil if the controller has received nothing from it since its start.
    case offline(lastSeen: WallTime?)
    /// A bound is reached; retry after that time.
    case busy(retryAfter: Duration)
    /// The controller's disk is full and commits fail; retry after that time.
    case storageFull(retryAfter: Duration)
    /// The token is missing or invalid.
    case unauthenticated
    /// The device or request does not exist or belongs to another account.
    case notFound
    /// The message breaks the rule that the text describes.
    case invalid(String)
    /// The request ID was already used for another request.
    case idMismatch
    /// The request ID is older than the retention horizon by that duration.
    case idTooOld(behind: Duration)
    /// The user may not do this, for the reason in the text.
    case notAllowed(String)
    /// The user is not on duty, and the roster is enforced.
    case offDuty(OffDuty)
    /// The account or the user is in another cell, where the request can be sent again.
    case moved(CellName)

    /// The time to wait before a retry; nil if a retry cannot help.
    public var retryAfter: Duration? {
        switch self {
        case .busy(let pause), .storageFull(let pause): pause
        case .offline, .unauthenticated, .notFound, .invalid, .idMismatch, .idTooOld, .notAllowed, .offDuty,
            .moved:
            nil
        }
    }

    /// The name in documents and JSON.
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
        case .moved: "moved"
        }
    }
}
