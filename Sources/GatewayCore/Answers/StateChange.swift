public import FleetProtocol
public import Stepping

/// A change of a pod's AC state, or a request for one: a record as Sensibo's lists of changes have it.
public struct StateChange: Sendable, Equatable {
    /// The reason of a record that is not a success.
    public enum Shortfall: String, Sendable {
        /// The device was not there, or did not answer in time.
        case timeout = "Timeout"
        /// The device was at another version than the client had seen.
        case conflict = "Conflict"
        /// It was taken back.
        case cancelled = "Cancelled"
        /// The device was asked, and has not answered yet: the change may still be made.
        case unknown = "Unknown"
        /// The device lost its memory, or stayed away: the change may have been made.
        case undetermined = "Undetermined"
        /// The remote has no code for it.
        case noSuchRemoteCommand = "NoSuchRemoteCommand"
        /// The device said no.
        case rejected = "InvalidState"

        /// Whether the change was certainly not made, and will not be.
        var isFailure: Bool {
            switch self {
            case .unknown, .undetermined: false
            case .timeout, .conflict, .cancelled, .noSuchRemoteCommand, .rejected: true
            }
        }

        /// The word in the `status` of a record: a failure only where nothing was done.
        var status: String { isFailure ? "Failed" : rawValue }
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
    /// The reason if it is not a success.
    public let shortfall: Shortfall?
    /// Whether the device was changed; a success without that found the device so already.
    public let isMade: Bool

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
        shortfall = nil
        isMade = true
    }

    /// A request without a change that is known: the device was so already, or it fell short.
    public init(
        of request: RequestID, at state: ACState, by cause: ChangeCause, user: Email? = nil,
        shortfall: Shortfall? = nil, at time: WallTime
    ) {
        id = ShortID(request.high, request.low)
        at = time
        self.cause = cause
        self.user = user
        before = state
        after = state
        self.shortfall = shortfall
        isMade = false
    }

    /// How a request for a device's state ended; nil for one of its settings, one that has not ended, and one
    /// that fell short where neither its end nor `before` tells the state.
    init?(endOf report: OutcomeReport, from before: ACState?, at time: WallTime) {
        guard let device = report.device, report.command != .configure, report.outcome.isFinal else {
            return nil
        }
        let cause = report.command == .correct ? ChangeCause.correction : .request
        if case .applied(let state) = report.outcome {
            self.init(of: device, to: state, from: before, by: cause, user: report.actor, at: time)
        } else {
            guard let state = report.outcome.state?.state ?? before else { return nil }
            self.init(
                of: report.requestID, at: state, by: cause, user: report.actor,
                shortfall: Shortfall(report.outcome), at: time)
        }
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
    /// A record of a change, with the keys that somebody asked for.
    ///
    /// - Parameter more: Writes further members of the record.
    mutating func change(
        _ change: StateChange, by capabilities: Capabilities, fields: RecordFields = .all, now: WallTime,
        more: (inout JSONWriter) -> Void = { _ in }
    ) {
        object { json in
            if fields.contains("id") { json.member("id", change.id) }
            if fields.contains("time") { json.member("time", second: change.at, now: now) }
            json.details(of: change, by: capabilities, fields: fields, now)
            more(&json)
        }
    }

    /// What a record says beside its id and time.
    mutating func details(
        of change: StateChange, by capabilities: Capabilities, fields: RecordFields = .all,
        _ now: WallTime
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
