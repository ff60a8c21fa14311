import ObserverCore
import Runtime
import Stepping

/// Stores the errors that a fleet's observer shows, so that the next observer shows them if this one is
/// killed.
struct ErrorLog: Sendable {
    private static let linesPerSecond = 50

    private let file: AppendedLog
    private var budget = LineBudget(linesPerSecond: linesPerSecond)

    /// The log of a fleet's observer.
    init(in directory: RunDirectory) {
        file = AppendedLog(path: directory.logFile(of: "observer"), process: "observer")
    }

    /// Writes errors, at most fifty a second; of others it writes only the number.
    mutating func append(_ errors: [EventLine], at now: MonotonicTime) {
        for error in errors {
            guard let missing = budget.spend(at: now) else { continue }
            if missing > 0 {
                file.append("\(missing) errors are not in this log", isError: true, at: error.at)
            }
            file.append(error.words, isError: true, at: error.at)
        }
    }
}
