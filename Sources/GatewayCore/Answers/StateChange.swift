public import FleetProtocol
public import Stepping

/// A change of a pod's AC state, or one that came to nothing: a record as Sensibo's lists of changes have it.
public struct StateChange: Sendable, Equatable {
    /// Why a change came to nothing, in the word of a record.
    public enum Failure: String, Sendable {
        /// The device was not there, or did not answer in time.
        case timeout = "Timeout"
        /// The device was at another version than the client had seen.
        case conflict = "Conflict"
        /// It was taken back.
        case cancelled = "Cancelled"
        /// Nobody can know any more whether it was carried out.
        case undetermined = "Undetermined"
        /// The remote has no code for it.
        case noSuchRemoteCommand = "NoSuchRemoteCommand"
        /// The device said no.
        case rejected = "InvalidState"
    }

    /// Tells this record from every other; the same however one heard of it.
    let id: ShortID
    /// When it was.
    public let at: WallTime
    /// What brought it about.
    public let cause: ChangeCause
    /// Who asked for it; nil where nobody did, or it is not known.
    public var user: Email?
    /// What the device was set to before; nil where that is not known.
    public var before: ACState?
    /// What it was set to then.
    public let after: ACState
    /// Why it came to nothing; nil where it did not.
    public let failure: Failure?

    /// A change that was made.
    public init(
        of device: DeviceID, to state: DeviceState, from before: ACState?, by cause: ChangeCause,
        user: Email? = nil, at time: WallTime
    ) {
        id = ShortID(device.bits, state.incarnation.bits, state.version.value)
        at = time
        self.cause = cause
        self.user = user
        self.before = before
        after = state.state
        failure = nil
    }

    /// A request that changed nothing: the device was so already, or it failed.
    public init(
        of request: RequestID, at state: ACState, by cause: ChangeCause, user: Email? = nil,
        failure: Failure? = nil, at time: WallTime
    ) {
        id = ShortID(request.high, request.low)
        at = time
        self.cause = cause
        self.user = user
        before = state
        after = state
        self.failure = failure
    }
}

extension ChangeCause {
    /// The word for it in the `reason` of a record.
    var reason: String {
        switch self {
        case .request: "UserAPI"
        case .correction: "StateCorrectionByUser"
        case .handRemote: "ExternalIrCommand"
        case .app: "UserRequest"
        case .climateReact: "Trigger"
        case .timer, .schedule: "Scheduler"
        }
    }
}

extension ChangeCause {
    /// What kind of plan it is that has changed something; nil where it was none.
    ///
    /// Of Sensibo's only null is recorded, so the words are ours.
    var scheduleType: String? {
        switch self {
        case .schedule: "Schedule"
        case .timer: "Timer"
        case .request, .correction, .handRemote, .app, .climateReact: nil
        }
    }
}

extension StateChange.Failure {
    /// Why a request changed nothing that ended so; nil where it is no failure, or not the end.
    init?(_ outcome: Outcome) {
        switch outcome {
        case .applied, .unchanged: return nil
        case .conflict: self = .conflict
        case .rejected: self = .rejected
        case .cancelled: self = .cancelled
        case .expired, .unknown: self = .timeout
        case .undetermined: self = .undetermined
        }
    }
}
