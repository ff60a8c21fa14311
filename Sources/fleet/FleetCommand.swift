import ArgumentParser

/// One command of `fleet`.
protocol FleetCommand: ParsableCommand, Sendable {
    /// Carries the command out.
    ///
    /// - Returns: What the shell is told.
    /// - Throws: `CommandFailure`, or an error of the client, the run directory or the bus; anything else is
    ///   an internal error.
    func run(in surroundings: Surroundings) async throws -> ExitStatus

    /// Whether programs that the command starts may need to gain privileges, as mail programs do.
    var needsPrivileges: Bool { get }
}

extension FleetCommand {
    var needsPrivileges: Bool { false }

    /// Carries the command out, and says why when it fails.
    func status(in surroundings: Surroundings) async -> ExitStatus {
        do {
            return try await run(in: surroundings)
        } catch {
            let failure = CommandFailure(of: error)
            surroundings.say("fleet: \(failure)")
            return failure.status
        }
    }
}

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
