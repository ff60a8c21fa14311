import FleetProtocol
import FleetReplica
import UserText

/// The outcomes of requests in words; a request that may have been applied is never called failed.
extension EventLine {
    static func text(of end: FleetEvent.Outcome) -> String {
        let report = end.report
        let stands = report.outcome.state.map { "\($0.state.power) at version \($0.version)" } ?? ""
        let subject = end.device?.label ?? "request \(report.requestID)"
        let user = SafeText.of(report.user.address)
        let asked = "(requested by \(user))"
        return switch report.outcome {
        case .applied(let new):
            "\(subject): \(appliedChange(new.state, of: end)) by \(user) in \(span(report))"
        case .unchanged: "\(subject): already \(stands) \(asked)"
        case .conflict: "\(subject): conflict, \(stands), nothing changed \(asked)"
        case .rejected(let why): "\(subject): rejected: \(SafeText.of(why)) \(asked)"
        case .cancelled: "\(subject): cancelled by \(user), nothing changed"
        case .expired: "\(subject): expired, nothing changed \(asked)"
        case .undetermined(let reason): "\(subject): undetermined, \(reason.text) \(asked)"
        case .unknown: "\(subject): no answer yet to request \(report.requestID) \(asked)"
        }
    }

    /// Returns the change that was applied; without a known command, as far as the states show it.
    private static func appliedChange(_ new: ACState, of end: FleetEvent.Outcome) -> String {
        switch end.report.command {
        case .toggle: "toggled \(new.power)"
        case .set: "set to \(change(to: new, from: end.before))"
        case .correct: "corrected to \(change(to: new, from: end.before))"
        case .configure: "settings changed"
        case nil: end.before.map { shown(new, after: $0) } ?? "changed"
        }
    }

    /// Returns the change between two states: only a toggle changes on and off and nothing else.
    private static func shown(_ new: ACState, after old: ACState) -> String {
        if new == old { return "settings changed" }
        return isPower(new, old) ? "toggled \(new.power)" : "set to \(change(to: new, from: old))"
    }

    /// Returns the values that differ from the previous state; all of them if that is not known.
    private static func change(to new: ACState, from old: ACState?) -> String {
        guard let old, new != old else { return "\(new.power), \(new.settings), \(new.air)" }
        if isPower(new, old) { return new.power }
        let power = new.isOn == old.isOn ? "" : "\(new.power), "
        return "\(power)\(new.settings), \(new.air)"
    }

    /// Whether two states differ only in on and off.
    private static func isPower(_ new: ACState, _ old: ACState) -> Bool {
        var toggled = old
        toggled.isOn.toggle()
        return new == toggled
    }

    private static func span(_ report: OutcomeReport) -> String {
        TimeText.span(microseconds: report.timing.totalUs)
    }
}

extension EventLine.Tone {
    init(of outcome: Outcome) {
        switch outcome {
        case .applied, .unchanged: self = .success
        case .cancelled, .unknown: self = .neutral
        case .conflict, .rejected, .expired, .undetermined: self = .failure
        }
    }
}

/// The part of the history that the controller has sent, in words.
extension EventLine {
    static func text(of history: ObserverEvent.History?, _ moment: (WallTime) -> String) -> String {
        guard let history else { return "no history from the controller: messages start now" }
        let span = DurationText.text(history.back)
        let beyond = history.omitted > 0 ? ", \(history.omitted) earlier ones omitted" : ""
        let gap = history.completeSince.map { "; some requests made before \(moment($0)) are missing" } ?? ""
        return "in the last \(span) \(Count.of(history.ends, "request")) ended\(beyond)\(gap); "
            + "presence changes and hand remotes are not in the history"
    }
}
