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

    private enum Progress {
        case givenUp, ended(ExitStatus)
    }

    /// Prints what the other says when it is ready, and leaves it behind.
    ///
    /// - Returns: The other's status, when it ended before that.
    func run() async throws -> ExitStatus {
        let signals = await surroundings.stopSignals()
        return try await withThrowingTaskGroup(of: Progress.self) { group in
            group.addTask { .ended(try await start()) }
            group.addTask {
                for await _ in signals { break }
                return .givenUp
            }
            // A stop signal gives the start up: cancelling it ends the other in order, which is waited for.
            guard case .ended(let status)? = try await group.next() else {
                group.cancelAll()
                surroundings.say("fleet: given up: what was started is ended again")
                return .refused
            }
            group.cancelAll()
            return status
        }
    }

    private func start() async throws -> ExitStatus {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .terminate, allowedDurationToNextStep: Self.grace)]
        do {
            let result = try await Subprocess.run(
                .path(FilePath(surroundings.executable)), arguments: Arguments(arguments),
                platformOptions: options, input: .none, output: .sequence, error: .currentStandardError
            ) { execution in
                var isReady = false
                for try await line in execution.standardOutput.strings() {
                    surroundings.print(line)
                    isReady = true
                }
                // Its output ends here once its log has taken that over. `run` would wait for the other's
                // end; it is to outlive this process.
                if isReady { surroundings.leave(.done) }
            }
            guard case .exited(let status) = result.terminationStatus else { return .refused }
            return ExitStatus(rawValue: status) ?? .bug
        } catch {
            guard Task.isCancelled else { throw error }
            return .refused
        }
    }
}
