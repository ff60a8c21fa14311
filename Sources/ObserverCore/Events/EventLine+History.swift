import Stepping
import Wording

/// The part of the history that the controller has sent, in words.
extension EventLine {
    /// - Parameter moment: Formats a time.
    static func words(of history: ObserverEvent.History?, _ moment: (WallTime) -> String) -> String {
        guard let history else {
            return "the controller sent no history: messages begin now"
        }
        let span = DurationText.text(history.back)
        let beyond = history.leftOut > 0 ? ", and \(history.leftOut) before that are left out" : ""
        let gap =
            history.completeSince.map {
                "; some requests made before \(moment($0)) are missing"
            } ?? ""
        return "in the last \(span) \(Count.of(history.ends, "request")) ended\(beyond)\(gap); "
            + "presence changes and hand remotes are not in the history"
    }
}
