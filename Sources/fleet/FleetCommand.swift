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
