import FleetProtocol
import FleetTime
import ProcessSupport
import UnixSignals

/// Standard input, output and error of the process.
struct Terminal: Sendable {
    /// Whether it is a terminal with cursor control: not `dumb`, and without `NO_COLOR`.
    var canDraw: Bool
    /// Writes a line on standard output: a result.
    var print: @Sendable (String) -> Void
    /// Writes a line on standard error: a remark.
    var say: @Sendable (String) -> Void
    /// Shows progress on standard error: at a terminal each line replaces the one before, and nil removes the
    /// last.
    var showProgress: @Sendable (String?) -> Void
    /// Reads a line without echo; nil when it was given up.
    var readPassword: @Sendable () throws(CommandFailure) -> String?
    /// Reads the first line of standard input; nil when there is none.
    var readLine: @Sendable () -> String?
    /// Sends all later output to the end of a file.
    var redirectOutput: @Sendable (_ file: String) throws(CommandFailure) -> Void
}

/// What a command is given of the world: everything that a test would want to choose.
struct Surroundings: Sendable {
    /// The variables of the environment.
    var environment: [String: String]
    /// Where relative paths start; absolute.
    var workingDirectory: String
    /// Where this program lies, and the others beside it; absolute.
    var executable: String
    /// This process's id.
    var processID: Int32
    /// Standard input, output and error.
    var terminal: Terminal
    /// The time zone of people who name none.
    var zone: TimeZoneName = .utc
    /// How much of the machine there is.
    var limits: @Sendable () -> MachineLimits
    /// Both clocks.
    var now: @Sendable () -> Moment
    /// How long the calling thread has had a core to itself.
    var threadTime: @Sendable () -> Duration
    /// Waits; throws when the task is cancelled.
    var pause: @Sendable (Duration) async throws -> Void
    /// A new request id, made now.
    var makeRequestID: @Sendable () -> RequestID
    /// 64 random bits, no secret.
    var randomBits: @Sendable () -> UInt64
    /// Begins to take Ctrl-C, SIGTERM and SIGHUP in place of the system, which would end the process.
    var stopSignals: @Sendable () async -> UnixSignalsSequence
    /// Ends the process, whatever still runs in it.
    var leave: @Sendable (ExitStatus) -> Never

    /// Writes a line on standard output.
    var print: @Sendable (String) -> Void { terminal.print }
    /// Writes a line on standard error.
    var say: @Sendable (String) -> Void { terminal.say }
    /// Shows progress on standard error.
    var showProgress: @Sendable (String?) -> Void { terminal.showProgress }

    /// Where the other executables are.
    var executableDirectory: String { executable.lastIndex(of: "/").map { String(executable[..<$0]) } ?? "." }

    /// The run directory of a started fleet.
    ///
    /// - Throws: `CommandFailure` when it is missing, or other users could get at it.
    func runDirectory(_ option: RunDirectoryOption) throws(CommandFailure) -> RunDirectory {
        do {
            let directory = try uncheckedRunDirectory(option)
            try directory.check()
            return directory
        } catch {
            throw CommandFailure(error)
        }
    }

    /// The run directory of a started fleet, in which nothing may be believed before it is checked.
    ///
    /// - Throws: `noFleet`.
    func uncheckedRunDirectory(_ option: RunDirectoryOption) throws(RuntimeError) -> RunDirectory {
        try RunDirectory.locate(explicit: option.path, environment: environment, startingAt: workingDirectory)
    }
}
