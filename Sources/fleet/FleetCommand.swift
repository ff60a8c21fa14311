import ArgumentParser
import Bus
import FleetClient
import ProcessSupport

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
        let failure: CommandFailure
        do {
            return try await run(in: surroundings)
        } catch let error as CommandFailure {
            failure = error
        } catch let error as FleetError {
            failure = CommandFailure(error)
        } catch let error as RuntimeError {
            failure = CommandFailure(error)
        } catch let error as BusError {
            failure = CommandFailure(error)
        } catch {
            failure = CommandFailure(
                .bug, "internal error: \(error)", advice: "please report it, with the command line")
        }
        surroundings.say("fleet: \(failure)")
        return failure.status
    }
}
