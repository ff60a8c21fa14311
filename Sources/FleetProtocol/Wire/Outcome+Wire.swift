import Stepping
import SwiftProtobuf

extension Outcome {
    init(wire: Sensibus_V1_Outcome) throws(WireError) {
        switch wire.kind {
        case .applied: self = .applied(try DeviceState(wire: wire))
        case .unchanged: self = .unchanged(try DeviceState(wire: wire))
        case .conflict: self = .conflict(try DeviceState(wire: wire))
        case .rejected:
            self = .rejected(try wire.rejection.checked(bytes: Limits.explanationBytes, field: "rejection"))
        case .cancelled: self = .cancelled
        case .expired: self = .expired
        case .undetermined: self = .undetermined(try UndeterminedReason(wire: wire.undetermined))
        case .unknown: self = .unknown
        case .unspecified, .UNRECOGNIZED: throw .malformed("outcome.kind", "an outcome")
        }
    }

    var wire: Sensibus_V1_Outcome {
        .with {
            switch self {
            case .applied(let state): $0.fill(.applied, state)
            case .unchanged(let state): $0.fill(.unchanged, state)
            case .conflict(let state): $0.fill(.conflict, state)
            case .rejected(let why):
                $0.kind = .rejected
                $0.rejection = why.cut(toBytes: Limits.explanationBytes)
            case .cancelled: $0.kind = .cancelled
            case .expired: $0.kind = .expired
            case .undetermined(let reason):
                $0.kind = .undetermined
                $0.undetermined = reason.wire
            case .unknown: $0.kind = .unknown
            }
        }
    }
}

extension Sensibus_V1_Outcome {
    fileprivate mutating func fill(_ kind: Sensibus_V1_OutcomeKind, _ reported: DeviceState) {
        self.kind = kind
        state = reported.state.wire
        version = reported.version.value
        incarnation = reported.incarnation.bits
    }
}

extension DeviceState {
    fileprivate init(wire: Sensibus_V1_Outcome) throws(WireError) {
        guard wire.hasState else { throw .missing("outcome.state") }
        self.init(
            state: try ACState(wire: wire.state), version: try Version(wire: wire.version, field: "version"),
            incarnation: Incarnation(bits: wire.incarnation))
    }
}

extension UndeterminedReason {
    init(wire: Sensibus_V1_UndeterminedReason) throws(WireError) {
        switch wire {
        case .deviceReset: self = .deviceReset
        case .deviceGone: self = .deviceGone
        case .superseded: self = .superseded
        case .unspecified, .UNRECOGNIZED: throw .malformed("outcome.undetermined", "a reason")
        }
    }

    var wire: Sensibus_V1_UndeterminedReason {
        switch self {
        case .deviceReset: .deviceReset
        case .deviceGone: .deviceGone
        case .superseded: .superseded
        }
    }
}

extension OutcomeReport {
    init(wire: Sensibus_V1_OutcomeReport) throws(WireError) {
        guard wire.hasRequestID else { throw .missing("request_id") }
        guard wire.hasOutcome else { throw .missing("outcome") }
        self.init(
            requestID: RequestID(wire: wire.requestID),
            device: wire.device.isEmpty ? nil : try DeviceID(wire: wire.device),
            outcome: try Outcome(wire: wire.outcome), actor: try Email(wire: wire.actor, field: "actor"),
            versionBefore: try Version(wire: wire.versionBefore, field: "version_before"),
            attempts: wire.attempts,
            timing: Timing(
                totalUs: wire.latencyUs, queueUs: wire.queueUs, wireUs: wire.wireUs, deviceUs: wire.deviceUs,
                journalUs: wire.journalUs))
    }

    var wire: Sensibus_V1_OutcomeReport {
        .with {
            $0.requestID = requestID.wire
            $0.device = device?.description ?? ""
            $0.outcome = outcome.wire
            $0.actor = actor.address
            $0.versionBefore = versionBefore.value
            $0.attempts = attempts
            $0.latencyUs = timing.totalUs
            $0.queueUs = timing.queueUs
            $0.wireUs = timing.wireUs
            $0.deviceUs = timing.deviceUs
            $0.journalUs = timing.journalUs
        }
    }
}

extension Refusal {
    init(wire: Sensibus_V1_Refusal) throws(WireError) {
        let what = try wire.what.checked(bytes: Limits.explanationBytes, field: "refusal.what")
        switch wire.kind {
        case .offline:
            self = .offline(
                lastSeen: wire.lastSeenMs == 0 ? nil : WallTime(wireMilliseconds: wire.lastSeenMs))
        case .busy: self = .busy(retryAfter: .milliseconds(Int64(wire.retryAfterMs)))
        case .unauthenticated: self = .unauthenticated
        case .notFound: self = .notFound
        case .invalid: self = .invalid(what)
        case .idMismatch: self = .idMismatch
        case .idTooOld: self = .idTooOld(behind: Duration(wireMilliseconds: wire.behindMs))
        case .notAllowed: self = .notAllowed(what)
        case .unspecified, .UNRECOGNIZED: throw .malformed("refusal.kind", "a refusal")
        }
    }

    var wire: Sensibus_V1_Refusal {
        .with {
            switch self {
            case .offline(let lastSeen):
                $0.kind = .offline
                $0.lastSeenMs = lastSeen?.unixMilliseconds ?? 0
            case .busy(let retryAfter):
                $0.kind = .busy
                $0.retryAfterMs = UInt32(clamping: retryAfter.wholeMilliseconds)
            case .unauthenticated: $0.kind = .unauthenticated
            case .notFound: $0.kind = .notFound
            case .invalid(let what):
                $0.kind = .invalid
                $0.what = what.cut(toBytes: Limits.explanationBytes)
            case .idMismatch: $0.kind = .idMismatch
            case .idTooOld(let behind):
                $0.kind = .idTooOld
                $0.behindMs = behind.wholeMilliseconds
            case .notAllowed(let what):
                $0.kind = .notAllowed
                $0.what = what.cut(toBytes: Limits.explanationBytes)
            }
        }
    }
}
