import Stepping
import Wording

/// How far a look back reaches, in words.
extension EventLine {
    /// - Parameter moment: How a time is written.
    static func words(of history: ObserverEvent.History?, _ moment: (WallTime) -> String) -> String {
        guard let history else {
            return "the controller does not say what ended before: what follows is from now on"
        }
        let span = DurationText.text(history.back)
        let beyond = history.leftOut > 0 ? ", and \(history.leftOut) before that are left out" : ""
        let gap =
            history.completeSince.map {
                "; of requests made before \(moment($0)) some are not known any more"
            } ?? ""
        return "in the last \(span) \(Count.of(history.ends, "request")) ended\(beyond)\(gap); "
            + "who came and went, and hand remotes, are not remembered"
    }
}
