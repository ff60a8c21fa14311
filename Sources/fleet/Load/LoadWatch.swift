import LoadCore
import Synchronization

/// Shows and exports the progress of loads, and ends a load once a condition holds.
final class LoadWatch: Sendable {
    private let conditions: Mutex<[AbortCondition]>
    private let display: LoadDisplay
    private let export: LoadExport
    private let interruption: LoadInterruption

    init(
        _ conditions: [AbortCondition], on display: LoadDisplay, exportingTo export: LoadExport,
        stopping interruption: LoadInterruption
    ) {
        self.conditions = Mutex(conditions)
        (self.display, self.export, self.interruption) = (display, export, interruption)
    }

    /// Starts to watch a load, whose number among all loads is `index`, from 0.
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

/// Shows the progress of loads: live lines at a terminal, else one line for each second.
final class LoadDisplay: Sendable {
    private let screen: Mutex<LoadScreen>
    private let isLive: Bool
    private let isShared: Bool
    private let surroundings: Surroundings

    /// A display that is live only where the terminal can replace lines.
    init(isLive: Bool, isShared: Bool = false, in surroundings: Surroundings) {
        screen = Mutex(LoadScreen(title: "", isShared: isShared))
        (self.isLive, self.isShared, self.surroundings) = (isLive, isShared, surroundings)
    }

    /// Starts the display of a load, whose number among all loads is `index`, from 0.
    func begin(_ plan: LoadPlan, _ index: Int, of count: Int) {
        let run = count > 1 ? "run \(index + 1) of \(count), " : ""
        let title = run + LoadSummary.demand(of: plan)
        screen.withLock { $0 = LoadScreen(title: title, isShared: isShared) }
        surroundings.showProgress(nil)
    }

    func show(_ progress: LoadProgress) {
        guard isLive, let columns = surroundings.terminal.columns() else {
            return surroundings.showProgress(LoadSummary.line(of: progress, isShared: isShared))
        }
        let lines = screen.withLock { screen in
            screen.receive(progress)
            // A full last column would let some terminals begin another line.
            return screen.lines(width: columns - 1)
        }
        surroundings.showProgress(lines.joined(separator: "\n"))
    }

    func end() { surroundings.showProgress(nil) }
}
