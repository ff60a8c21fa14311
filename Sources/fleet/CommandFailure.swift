/// Why a command could not do what was asked: what failed, why, and what to do next.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
    /// What the shell is told.
    let status: ExitStatus
    /// What failed and why, in words fit for a terminal.
    let problem: String
    /// What to do next, in words; empty where the problem says it.
    let advice: String

    /// The failure of those words.
    init(_ status: ExitStatus, _ problem: String, advice: String = "") {
        (self.status, self.problem, self.advice) = (status, problem, advice)
    }

    /// What is printed.
    var description: String { advice.isEmpty ? problem : "\(problem)\n  \(advice)" }
}
