import FleetProtocol
import Wording

extension OutcomeReport {
    /// How it ended in words, with what to do next.
    func explanation(_ wording: StateWording) -> String {
        let wording = wording.fitting(command)
        return switch outcome {
        case .applied(let state):
            "\(wording.words(for: state.state)) (version \(state.version)) in "
                + TimeText.span(microseconds: timing.totalUs)
        case .unchanged(let state):
            "was so already: \(wording.words(for: state.state)) (version \(state.version))"
        case .conflict(let state):
            "conflict: it is now \(wording.words(forOther: state.state)) (version \(state.version)), so nothing "
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
