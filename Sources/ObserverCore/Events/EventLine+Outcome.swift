import FleetProtocol
import Wording

/// What became of a request, in words. Never "failed" of something that may have been applied.
extension EventLine {
    static func spoken(_ end: ObserverEvent.Outcome) -> (Tone, String) {
        let report = end.report
        let stands = report.outcome.state.map { "\($0.state.power) at version \($0.version)" } ?? ""
        let subject = end.device?.label ?? "request \(report.requestID)"
        let actor = SafeText.of(report.actor.address)
        let asked = "(asked by \(actor))"
        return switch report.outcome {
        case .applied(let new):
            (.success, "\(subject): \(deed(new.state, after: end.before)) by \(actor) in \(span(report))")
        case .unchanged: (.success, "\(subject): already \(stands), nothing to do \(asked)")
        case .conflict: (.failure, "\(subject): conflict, is \(stands), nothing done \(asked)")
        case .rejected(let why): (.failure, "\(subject): rejected: \(SafeText.of(why)) \(asked)")
        case .cancelled: (.neutral, "\(subject): cancelled by \(actor), nothing done")
        case .expired: (.failure, "\(subject): expired, nothing done \(asked)")
        case .undetermined(let reason): (.failure, "\(subject): undetermined, \(reason.words) \(asked)")
        case .unknown:
            (.neutral, "\(subject): no answer yet; see `fleet outcome \(report.requestID)` \(asked)")
        }
    }

    /// What was done: a toggle changes on and off and nothing else.
    private static func deed(_ new: ACState, after old: ACState?) -> String {
        guard let old else { return "toggled \(new.power)" }
        if new == old { return "settings changed" }
        var toggled = old
        toggled.isOn.toggle()
        if new == toggled { return "toggled \(new.power)" }
        let power = new.isOn == old.isOn ? "" : "\(new.power), "
        return "set to \(power)\(new.settings), \(new.air)"
    }

    private static func span(_ report: OutcomeReport) -> String {
        TimeText.span(microseconds: report.timing.totalUs)
    }
}
