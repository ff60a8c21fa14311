import FleetProtocol
import Runtime
import Stepping
import Wording

extension OutcomeReport {
    /// How it ended in words, with what to do next.
    func explanation(_ wording: StateWording) -> String {
        switch outcome {
        case .applied(let state):
            "\(wording.words(for: state.state)) (version \(state.version)) in \(timing.milliseconds)"
        case .unchanged(let state):
            "was so already: \(wording.words(for: state.state)) (version \(state.version))"
        case .conflict(let state):
            "conflict: it is now \(wording.words(for: state.state)) (version \(state.version)), so nothing "
                + "was done; look at it, and ask again with --expect-version \(state.version)"
        case .rejected(let reason):
            "rejected by the device: \(SafeText.of(reason)); nothing was done: ask for what it allows"
        case .cancelled: "cancelled: it was not applied and never will be; ask anew if you still want it"
        case .expired:
            "expired: its time was over before it was done, and it never will be; ask anew, with more time "
                + "(--timeout 10s)"
        case .undetermined(let reason):
            "undetermined: \(reason.words), so nobody can say whether it was applied; look at the device "
                + "with `fleet devices`, then ask anew"
        case .unknown:
            "no answer yet: it may still be applied; `fleet outcome \(requestID)` tells, "
                + "`fleet cancel \(requestID)` takes it back"
        }
    }
}

extension OutcomeReport.Timing {
    /// The whole time, `0.21 ms`.
    fileprivate var milliseconds: String {
        let hundredths = (totalUs + 5) / 10
        let fraction = String(hundredths % 100)
        return "\(hundredths / 100).\(fraction.utf8.count < 2 ? "0" : "")\(fraction) ms"
    }
}

extension UndeterminedReason {
    /// The reason in words.
    fileprivate var words: String {
        switch self {
        case .deviceReset: "the device lost its memory before it could be asked"
        case .deviceGone: "the device stayed away for too long"
        case .superseded: "the device has taken a later command since"
        }
    }
}

extension Refusal {
    /// Why the message was not accepted, in words, with what to do next.
    var explanation: String {
        switch self {
        case .offline(let lastSeen):
            (lastSeen.map { "offline since it was last seen at \(TimeText.iso8601($0))" }
                ?? "offline, and never seen")
                + "; nothing was done: `fleet status` shows whether its node runs"
        case .busy(let retryAfter):
            "busy; nothing was done: try again in \(retryAfter.wholeMilliseconds) ms"
        case .unauthenticated: "no valid session; log in with `fleet login EMAIL`"
        case .notFound: "no such device or request in this account; `fleet devices` lists the devices"
        case .invalid(let what): "not accepted: \(SafeText.of(what)); correct it and ask again"
        case .idMismatch:
            "this request id was used for something else; nothing was done: leave --request-id out to get "
                + "a new one"
        case .idTooOld(let behind):
            "this request id is \(behind.wholeMilliseconds) ms older than what the controller remembers; "
                + "look at the device before you ask anew"
        case .notAllowed(let why): "not allowed: \(SafeText.of(why)); log in as somebody who may"
        }
    }
}

extension CancelAnswer {
    /// What became of a cancel, in words.
    var explanation: String {
        switch self {
        case .cancelled: "cancelled in time: nothing was changed"
        case .tooLate: "too late: it had already ended"
        case .pending: "cancel pending: the device has been asked and has not answered"
        }
    }
}
