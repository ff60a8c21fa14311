public import ArgumentParser

/// The options for how long, and of how many requests, a controller remembers the outcomes.
public struct RetentionOptions: ParsableArguments, Sendable {
    /// How long outcomes are remembered.
    @Option(
        help: ArgumentHelp(
            "How long what became of requests is remembered: \(Retention.timeWords) (default: 24h).",
            valueName: "time"),
        transform: Retention.time(of:))
    public var retention: Duration = Retention().time

    /// Of how many requests outcomes are remembered.
    @Option(
        help: ArgumentHelp(
            """
            Of how many requests: \(Retention.countWords) (default: 1000000). Whichever ends first counts, \
            but nothing is forgotten within a minute.
            """, valueName: "count"),
        transform: Retention.results(of:))
    public var retentionResults: Int = Retention().results

    /// The usual retention.
    public init() {}
}

/// The options for where messages to users go: to a directory, or to a command.
public struct OutboxOptions: ParsableArguments, Sendable {
    /// The directory of messages; nil for none.
    @Option(
        help: ArgumentHelp(
            "Where messages to users are put, each a file: such as the token for who forgot their password.",
            valueName: "directory"))
    public var outbox: String?

    /// The command that is run for each message; nil for none.
    @Option(
        help: ArgumentHelp(
            """
            What is run for each message instead, with the message as its input: an executable's absolute \
            path and its arguments, parted by blanks. No shell reads them.
            """, valueName: "command"))
    public var outboxCommand: String?

    /// No outbox.
    public init() {}

    /// Refuses two outboxes, and a command without an absolute path.
    public func validate() throws {
        guard outbox == nil || outboxCommand == nil else {
            throw ValidationError("--outbox and --outbox-command: messages go one way, name one of them")
        }
        if let outboxCommand, !outboxCommand.hasPrefix("/") {
            throw ValidationError(
                "--outbox-command '\(outboxCommand)': name the executable by its absolute path")
        }
    }
}
