public import ArgumentParser

/// The options for how long, and for how many requests, a controller stores the outcomes.
public struct RetentionOptions: ParsableArguments, Sendable {
    /// The time for which outcomes are stored.
    @Option(
        help: ArgumentHelp(
            "Store outcomes of requests for this time: \(Retention.timeDescription) (default: 24h).",
            valueName: "time"),
        transform: Retention.time(of:))
    public var retention: Duration = Retention().time

    @Option(
        help: ArgumentHelp(
            """
            Store at most this many outcomes: \(Retention.countDescription) (default: 1000000). Also limited by \
            --retention; never less than a minute.
            """, valueName: "count"),
        transform: Retention.results(of:))
    public var retentionResults: Int = Retention().results

    public init() {}
}

/// The option for the process with which a fleet or a test server ends.
public struct LifetimeOption: ParsableArguments, Sendable {
    /// The ID of the process; nil if none is given.
    @Option(
        name: .customLong("exit-with"),
        help: ArgumentHelp("Stop when the process with this ID ends, however it ends.", valueName: "pid"))
    public var processID: Int32?

    public init() {}

    /// Refuses IDs that no process can have.
    public func validate() throws {
        guard processID.map({ $0 > 0 }) ?? true else {
            throw ValidationError("--exit-with: expected the ID of a process, above 0")
        }
    }

    /// The option as arguments for a process.
    public var arguments: [String] { processID.map { ["--exit-with", String($0)] } ?? [] }
}

/// The options for the target of messages to users: a directory, or a command.
public struct OutboxOptions: ParsableArguments, Sendable {
    /// The directory for messages; nil for none.
    @Option(
        help: ArgumentHelp(
            "Write each message to users, such as a password-reset code, to a file in this directory.",
            valueName: "directory"))
    public var outbox: String?

    /// The command that runs for each message; nil for none.
    @Option(
        help: ArgumentHelp(
            """
            Run this command for each message instead, with the message as its input: an executable's \
            absolute path and its arguments, separated by spaces; not passed to a shell.
            """, valueName: "command"))
    public var outboxCommand: String?

    public init() {}

    /// Refuses two outboxes, and a command without an absolute path.
    public func validate() throws {
        guard outbox == nil || outboxCommand == nil else {
            throw ValidationError("give --outbox or --outbox-command, not both")
        }
        if let outboxCommand, !outboxCommand.hasPrefix("/") {
            throw ValidationError(
                "--outbox-command '\(outboxCommand)': give the absolute path of the executable")
        }
    }
}
