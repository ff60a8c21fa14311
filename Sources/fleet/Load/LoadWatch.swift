import LoadCore
import Synchronization

/// Shows and exports the progress of loads, and ends a load once a condition holds.
final class LoadWatch: Sendable {
    private let conditions: Mutex<[AbortCondition]>
    private let display: LoadDisplay
    private let export: LoadExport
    private let interruption: LoadInterruption

    /// A watch over loads that an interruption ends.
    init(
        _ conditions: [AbortCondition], on display: LoadDisplay, exportingTo export: LoadExport,
        stopping interruption: LoadInterruption
    ) {
        self.conditions = Mutex(conditions)
        (self.display, self.export, self.interruption) = (display, export, interruption)
    }

    /// Starts to watch a load.
    ///
    /// - Parameter index: Its number among all loads, from 0.
    func begin(_ plan: LoadPlan, _ index: Int, of count: Int) {
        display.begin(plan, index, of: count)
        export.begin(index)
    }

    func end() { display.end() }

    func follow(_ second: LoadProgress) async {
        display.show(second)
        export.receive(second)
        let held = conditions.withLock { conditions in
            conditions.indices.filter { conditions[$0].holds(after: second) }.map { conditions[$0].text }
        }
        if let condition = held.first { await interruption.abort(because: condition) }
    }
}
