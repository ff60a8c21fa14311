import LoadCore
import Synchronization

/// Shows the progress of a load, and ends the load once a condition holds.
final class LoadWatch: Sendable {
    private let conditions: Mutex<[AbortCondition]>
    private let surroundings: Surroundings
    private let interruption: LoadInterruption

    /// A watch over a load that an interruption ends.
    init(
        _ conditions: [AbortCondition], in surroundings: Surroundings, stopping interruption: LoadInterruption
    ) {
        self.conditions = Mutex(conditions)
        (self.surroundings, self.interruption) = (surroundings, interruption)
    }

    /// Takes the progress of a second.
    func follow(_ second: LoadProgress) async {
        surroundings.showProgress(LoadSummary.line(of: second))
        let held = conditions.withLock { conditions in
            conditions.indices.filter { conditions[$0].holds(after: second) }.map { conditions[$0].text }
        }
        if let condition = held.first { await interruption.abort(because: condition) }
    }
}
