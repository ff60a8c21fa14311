import FleetProtocol

struct CommandQueueHistory {
    /// The plans with which clients have started it.
    var plans: [QueuePlan] = []
    /// Its reports as committed, the first one first.
    var reports: [QueueReport] = []
    /// The request as which each command was admitted.
    var admitted: [Int: RequestID] = [:]
}

/// A command of a queue: the index of the queue's history, and of the command, from 0.
struct QueuedCommand {
    let queue: Int
    let command: Int
}

extension QueueReport {
    /// Why a report cannot follow another as far as the states of commands go; empty if it can.
    ///
    /// A command waits, runs as one request, and ends once, or is left out. An ended command never changes.
    ///
    /// - Parameter ends: Receives each command that has ended since, with its request and its end.
    func violations(after before: QueueReport, ends: (Int, RequestID, QueuedOutcome) -> Void) -> [String] {
        if before.state.isFinal { return ["changed after its end"] }
        var found: [String] = []
        for (index, pair) in zip(before.progress, progress).enumerated() {
            switch pair {
            case (.waiting, .waiting), (.waiting, .running), (.waiting, .skipped), (.skipped, .skipped): break
            case (.running(let id), .running(let same)) where id == same: break
            case (.running(let id), .ended(let same, let end)) where id == same: ends(index, id, end)
            case (.ended(let id, let end), .ended(let same, let still)) where id == same && end == still:
                break
            default: found.append("has command \(index + 1) \(pair.1) after \(pair.0)")
            }
        }
        return found
    }
}

extension QueueProgress {
    var hasEnded: Bool { if case .ended = self { true } else { false } }
}
