import FleetProtocol
import Glibc
import ProcessSupport
import UnixSignals
import UserText

/// The environment of a command: everything that a test may replace.
struct Surroundings: Sendable {
    var environment: [String: String]
    var workingDirectory: String
    /// The absolute path of this executable; the others are in the same directory.
    var executable: String
    var arguments: [String] = []
    var processID: Int32
    var terminal: Terminal
    /// The time zone for users who name none.
    var zone: TimeZoneName = .utc
    var limits: @Sendable () -> MachineLimits
    var now: @Sendable () -> Moment
    /// The processor time of the calling thread.
    var threadTime: @Sendable () -> Duration
    /// Waits for a duration; throws if the task is cancelled.
    var pause: @Sendable (Duration) async throws -> Void
    /// Creates a request ID from the current time.
    var makeRequestID: @Sendable () -> RequestID
    /// Returns 64 random bits; not for secrets.
    var randomBits: @Sendable () -> UInt64
    /// Starts to handle Ctrl-C, SIGTERM and SIGHUP, which would otherwise end the process.
    var stopSignals: @Sendable () async -> UnixSignalsSequence
    var leave: @Sendable (ExitStatus) -> Never

    var print: @Sendable (String) throws(CommandFailure) -> Void { terminal.print }
    var notify: @Sendable (String) -> Void { terminal.notify }
    var showProgress: @Sendable (String?) -> Void { terminal.showProgress }

    var executableDirectory: String { executable.lastIndex(of: "/").map { String(executable[..<$0]) } ?? "." }

    /// The absolute path of a file that a user names.
    func path(of file: String) -> String { file.hasPrefix("/") ? file : "\(workingDirectory)/\(file)" }

    /// The run directory to use or to create, of which `--run-dir` is the name.
    func runDirectory(named explicit: String?) -> RunDirectory {
        RunDirectory(named: explicit, environment: environment, startingAt: workingDirectory)
    }

    /// The run directory of a started fleet; fails if it is missing, or if other users could access it.
    func runDirectory(_ option: RunDirectoryOption) throws(CommandFailure) -> RunDirectory {
        do {
            return try option.network.runDirectory(
                explicit: option.path, environment: environment, startingAt: workingDirectory,
                hasCells: option.cells.isNamed(in: environment))
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The run directory of a fleet of this machine; fails if it has joined a fleet on another one.
    func ownFleet(_ option: RunDirectoryOption) throws -> RunDirectory {
        let directory = try runDirectory(option)
        guard access(directory.storeFile, F_OK) != 0 else { return directory }
        let membership = try NetworkMembership.read(from: NetworkMembership.file(in: directory))
        guard let membership else { return directory }
        throw CommandFailure(
            .refused, "\(directory) is a member of the fleet at \(membership.address)",
            advice: "run this on the machine of that fleet")
    }

    /// Runs work, and cancels it at the first stop signal, which ends the programs that it has started.
    /// Returns nil after a signal, once the work has ended.
    @discardableResult
    func untilStopped<Result: Sendable>(
        _ work: @escaping @Sendable () async throws -> Result
    ) async throws -> Result? {
        let signals = await stopSignals()
        return try await withThrowingTaskGroup(of: Result?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await _ in signals { break }
                return nil
            }
            defer { group.cancelAll() }
            return try await group.next() ?? nil
        }
    }

    /// Runs work, and cancels it after a timeout; nil if it has no result by then.
    func within<Result: Sendable>(
        _ timeout: Duration, _ work: @escaping @Sendable () async -> Result?
    ) async -> Result? {
        await withTaskGroup(of: Result?.self) { group in
            group.addTask { await work() }
            group.addTask {
                // A cancelled pause means that the work has ended.
                try? await pause(timeout)
                return nil
            }
            defer { group.cancelAll() }
            return await group.next() ?? nil
        }
    }

    /// The run directory of a started fleet, without checking its owner and permissions.
    func uncheckedRunDirectory(_ option: RunDirectoryOption) throws(RuntimeError) -> RunDirectory {
        try RunDirectory.locate(explicit: option.path, environment: environment, startingAt: workingDirectory)
    }

    /// Prints the cause of a failure on standard error; returns its status.
    func report(_ failure: CommandFailure) -> ExitStatus {
        if failure.status != .unread { notify("fleet: \(SafeText.ofLines(failure.description))") }
        return failure.status
    }

    func show(_ output: CommandOutput, asJSON isJSON: Bool) async throws -> ExitStatus {
        do {
            for line in isJSON ? output.json().map(\.line) : output.lines() { try terminal.print(line) }
        } catch {
            if let revoke = output.revoke { notify("fleet: \(try await revoke())") }
            throw error
        }
        if !isJSON, let remark = output.remark { notify(remark) }
        for warning in output.warnings { notify("fleet: \(warning)") }
        return output.status
    }
}
