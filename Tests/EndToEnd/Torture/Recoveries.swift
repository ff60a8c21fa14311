/// The time from each kill of the controller to the first success of a new toggle.
struct Recoveries: Sendable {
    /// A kill of the controller.
    struct Kill: Sendable {
        let at: ContinuousClock.Instant
        /// Whether no other fault is active, or occurs until the recovery, so that the time is judged.
        let isAlone: Bool
    }

    /// After kills that are judged.
    private(set) var judged: [Duration] = []
    /// After kills beside a frozen node, or with another fault during the recovery.
    private(set) var others: [Duration] = []
    /// Kills without a later success.
    private(set) var missing = 0

    init(after kills: [Kill] = [], in history: History = History()) {
        for kill in kills {
            guard let took = history.firstSuccess(after: kill.at) else {
                missing += 1
                continue
            }
            if kill.isAlone { judged.append(took) } else { others.append(took) }
        }
    }

    /// Its violations.
    var violations: [Violation] {
        guard missing > 0 else { return [] }
        let text = "no new toggle succeeded after \(missing) kills of the controller"
        return [Violation(promise: .recovery, text: text)]
    }
}
