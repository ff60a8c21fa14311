import Subprocess
import SystemPackage
import UnixSignals

/// Starts this program again in a session of its own, and waits until it says that the fleet is ready.
struct DetachedStart: Sendable {
    /// From SIGTERM to SIGKILL when the start is given up: longer than the end of a fleet takes.
    private static let grace: Duration = .seconds(4)

    /// The other's arguments.
    let arguments: [String]
    /// The world.
    let surroundings: Surroundings

    /// Prints what the other says when it is ready, and leaves it behind.
    ///
    /// - Returns: The other's status, when it ended before that.
    func run() async throws -> ExitStatus {
        let signals = await surroundings.stopSignals()
        return try await withThrowingTaskGroup(of: ExitStatus?.self) { group in
            group.addTask { try await start() }
            group.addTask {
                // A stop signal gives the start up: cancelling it ends the other in order.
                for await _ in signals { return nil }
                return nil
            }
            var status: ExitStatus?
            for try await finished in group {
                group.cancelAll()
                status = status ?? finished
            }
            return status ?? .refused
        }
    }

    private func start() async throws -> ExitStatus {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .terminate, allowedDurationToNextStep: Self.grace)]
        let result = try await Subprocess.run(
            .path(FilePath(surroundings.executable)), arguments: Arguments(arguments), platformOptions: options,
            input: .none, output: .sequence, error: .currentStandardError
        ) { execution in
            for try await line in execution.standardOutput.strings() {
                surroundings.print(line)
                // `run` would wait for the other's end; it is to outlive this process.
                surroundings.leave(.done)
            }
        }
        guard case .exited(let status) = result.terminationStatus else { return .refused }
        return ExitStatus(rawValue: status) ?? .bug
    }
}
