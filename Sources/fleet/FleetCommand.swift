import ArgumentParser
import UserText

/// One command of `fleet`.
protocol FleetCommand: ParsableCommand, Sendable {
    /// Runs the command.
    ///
    /// - Returns: The exit status.
    /// - Throws: `CommandFailure`, or an error of the client, the run directory or the bus; any other error
    ///   is an internal error.
    func run(in surroundings: Surroundings) async throws -> ExitStatus

    /// Whether programs that the command starts may need to gain privileges, as mail programs do.
    var needsPrivileges: Bool { get }

    /// Whether the command starts programs that must end with it: a stop signal then cancels the command.
    var startsPrograms: Bool { get }
}

extension FleetCommand {
    var needsPrivileges: Bool { false }
    var startsPrograms: Bool { false }

    /// Runs the command, and prints the cause of a failure on standard error.
    func status(in surroundings: Surroundings) async -> ExitStatus {
        do {
            guard startsPrograms else { return try await run(in: surroundings) }
            let status = try await surroundings.untilStopped { try await run(in: surroundings) }
            guard let status else { throw CommandFailure.interrupted }
            return status
        } catch {
            return surroundings.report(CommandFailure(of: error))
        }
    }
}

extension Surroundings {
    /// Prints the cause of a failure on standard error; returns its status.
    func report(_ failure: CommandFailure) -> ExitStatus {
        if failure.status != .unread { notify("fleet: \(SafeText.ofLines(failure.description))") }
        return failure.status
    }
}

/// The failure of a command: what failed, why, and what to do next.
struct CommandFailure: Error, Equatable, CustomStringConvertible {
    let status: ExitStatus
    /// What failed and why, safe to print on a terminal.
    let problem: String
    /// What to do next; empty if the problem says it.
    let advice: String

    init(_ status: ExitStatus, _ problem: String, advice: String = "") {
        (self.status, self.problem, self.advice) = (status, problem, advice)
    }

    /// The end of a command by a stop signal.
    static let interrupted = CommandFailure(.refused, "interrupted")

    var description: String { advice.isEmpty ? problem : "\(problem)\n  \(advice)" }
}
