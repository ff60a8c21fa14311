public import FleetProtocol
import UserText

/// A record of a change of a pod's AC state, or of a request for one, as in Sensibo's lists of changes.
public struct StateChange: Sendable, Equatable {
    public enum Shortfall: String, CaseIterable, Sendable {
        /// The device was offline, or the request expired.
        case timeout = "Timeout"
        /// The device's version differed from the version that the client expected.
        case conflict = "Conflict"
        case cancelled = "Cancelled"
        /// The device has not answered the command yet: it may still apply the change.
        case unknown = "Unknown"
        /// The device lost its memory, or stayed offline: it may have applied the change.
        case undetermined = "Undetermined"
        case noSuchRemoteCommand = "NoSuchRemoteCommand"
        case rejected = "InvalidState"

        /// Whether the change was certainly not made, and will not be.
        var isFailure: Bool {
            switch self {
            case .unknown, .undetermined: false
            case .timeout, .conflict, .cancelled, .noSuchRemoteCommand, .rejected: true
            }
        }

        /// The `status` of a record: `Failed` only for a change that was certainly not made.
        var status: String { isFailure ? "Failed" : rawValue }
    }

    /// The record's ID, which is the same in each report of the change.
    let id: ShortID
    /// The time of the change, or of the request's end.
    public let at: WallTime
    public let cause: ChangeCause
    /// The user who requested the change; nil for a change without a request, or by an unknown user.
    public var user: Email?
    public var before: ACState?
    public let after: ACState
    let shortfall: Shortfall?
    /// Whether the device changed its state; false in a success if the device had that state already.
    let isMade: Bool

    public init(
        of device: DeviceID, to state: DeviceState, from before: ACState?, by cause: ChangeCause,
        user: Email? = nil, at time: WallTime
    ) {
        id = ShortID(device.bits, state.incarnation.bits, state.version.value)
        at = time
        // No request leads to the first state of an incarnation: the app sets up a new pod, or one after a
        // reset.
        self.cause = state.version == Version(1) ? .app : cause
        (self.user, self.before) = (user, before)
        after = state.state
        shortfall = nil
        isMade = true
    }

    /// A request without a known change: the device had the state already, or the request failed.
    public init(
        of request: RequestID, at state: ACState, by cause: ChangeCause, user: Email? = nil,
        shortfall: Shortfall? = nil, at time: WallTime
    ) {
        id = ShortID(request.high, request.low)
        at = time
        (self.cause, self.user) = (cause, user)
        before = state
        after = state
        self.shortfall = shortfall
        isMade = false
    }

    /// The record of a request for a device's state that has ended. It is nil for a change of settings, and
    /// if neither the outcome nor `before` has the state.
    init?(endOf report: OutcomeReport, from before: ACState?, at time: WallTime) {
        guard let device = report.device, report.command != .configure, report.outcome.isFinal else {
            return nil
        }
        let cause = report.command == .correct ? ChangeCause.correction : .request
        if case .applied(let state) = report.outcome {
            self.init(of: device, to: state, from: before, by: cause, user: report.user, at: time)
        } else {
            guard let state = report.outcome.state?.state ?? before else { return nil }
            self.init(
                of: report.requestID, at: state, by: cause, user: report.user,
                shortfall: Shortfall(report.outcome), at: time)
        }
    }
}

extension ChangeCause {
    /// The cause's name in the member `reason` of a record.
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

    /// The kind of plan that caused a change; nil for other causes. The recorded answers of Sensibo have only
    /// null here, so the two names are not Sensibo's.
    var scheduleType: String? {
        switch self {
        case .schedule: "Schedule"
        case .timer: "Timer"
        case .request, .correction, .handRemote, .app, .climateReact: nil
        }
    }
}

extension StateChange.Shortfall {
    /// The reason of a request with that outcome; nil for a success.
    init?(_ outcome: Outcome) {
        switch outcome {
        case .applied, .unchanged: return nil
        case .conflict: self = .conflict
        case .rejected: self = .rejected
        case .cancelled: self = .cancelled
        case .expired: self = .timeout
        case .unknown: self = .unknown
        case .undetermined: self = .undetermined
        }
    }
}

extension JSONWriter {
    /// Writes a record of a change, with the requested keys, and `more` of its members.
    mutating func change(
        _ change: StateChange, by capabilities: Capabilities, fields: RecordFields = .all, now: PodTime,
        more: (inout JSONWriter) -> Void = { _ in }
    ) {
        object { json in
            if fields.contains("id") { json.member("id", change.id) }
            if fields.contains("time") { json.member("time", second: change.at, now: now) }
            json.details(of: change, by: capabilities, fields: fields, now)
            more(&json)
        }
    }

    mutating func details(
        of change: StateChange, by capabilities: Capabilities, fields: RecordFields = .all, _ now: PodTime
    ) {
        func member(_ name: StaticString, _ text: String?) {
            if fields.contains(name) { self.member(name, text) }
        }
        member("status", change.shortfall?.status ?? "Success")
        member("reason", change.cause.reason)
        member("failureReason", change.shortfall.flatMap { $0.isFailure ? $0.rawValue : nil })
        if fields.contains("changedProperties") { changedProperties(of: change, by: capabilities) }
        for name: StaticString in ["acState", "resultingAcState"] where fields.contains(name) {
            key(name)
            acState(change.after, by: capabilities, at: (change.at, now))
        }
        if fields.contains("resolveTime") { self.member("resolveTime", second: change.at, now: now) }
        if fields.contains("causedByUser") { user(change.user) }
        member("causedByScheduleId", nil)
        member("causedByScheduleType", change.cause.scheduleType)
    }

    private mutating func changedProperties(of change: StateChange, by capabilities: Capabilities) {
        array("changedProperties") { json in
            guard let before = change.before else { return }
            let changed = change.after.changedProperties(since: before, by: capabilities)
            for property in changed { json.string(property.rawValue) }
        }
    }

    private mutating func user(_ email: Email?) {
        guard let email else { return member("causedByUser", nil) }
        object("causedByUser") { json in
            json.member("username", email.address)
            json.member("email", email.address)
            json.member("firstName", "")
            json.member("lastName", "")
        }
    }
}
