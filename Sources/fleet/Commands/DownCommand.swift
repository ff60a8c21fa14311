import ArgumentParser
import FleetProtocol
import Runtime
import Stepping
import Wording

/// `fleet down`: ends a fleet.
struct DownCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "down",
        abstract: "End the fleet, and return when everything has ended.",
        discussion: """
            When nothing runs it says so, and that is no failure.

            EXAMPLES
              fleet down
              fleet down --run-dir /srv/demo/.sensibus
            """)

    /// How long the end may take.
    private static let patience: Duration = .seconds(5)
    /// How often it is looked whether the supervisor has gone.
    private static let interval: Duration = .milliseconds(20)

    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory: RunDirectory
        do throws(CommandFailure) {
            directory = try surroundings.runDirectory(runDirectory)
        } catch {
            guard error.status == .absent else { throw error }
            surroundings.say("fleet: nothing is running: \(error.problem)")
            return .done
        }
        if try isFree(directory) {
            surroundings.say("fleet: nothing is running in \(directory)")
            return .done
        }
        _ = try await SupervisorAccess(directory: directory).ask(.endFleet)
        let deadline = surroundings.now().monotonic.advanced(by: Self.patience)
        while try !isFree(directory) {
            guard surroundings.now().monotonic < deadline else { throw try stillThere(directory) }
            try await surroundings.pause(Self.interval)
        }
        surroundings.say("fleet: ended")
        return .done
    }

    /// Whether no supervisor holds the run directory.
    private func isFree(_ directory: RunDirectory) throws -> Bool {
        do {
            try FileLock(path: directory.lockFile(for: "supervisor")).close()
            return true
        } catch RuntimeError.locked {
            return false
        }
    }

    private func stillThere(_ directory: RunDirectory) throws -> CommandFailure {
        CommandFailure(
            .undecided, "the fleet in \(directory) has not ended within \(DurationText.text(Self.patience))",
            advice: "`fleet status` shows what is left; its supervisor's log is "
                + directory.logFile(of: "supervisor"))
    }
}
