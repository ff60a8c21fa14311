import ArgumentParser

/// How somebody may come in who has no user yet, or has forgotten their password.
struct WayInOptions: ParsableArguments {
    @Flag(
        name: .customLong("allow-signup"),
        help: "Let anybody who can reach the fleet make an account of their own.")
    var allowsSignUp = false

    @Option(
        help: ArgumentHelp(
            "Where messages to users are put, each a file: such as the token for who forgot their password.",
            valueName: "directory"))
    var outbox: String?

    @Option(
        help: ArgumentHelp(
            """
            What is run for each message instead, with the message as its input: an executable's absolute \
            path and its arguments, parted by blanks. No shell reads them.
            """, valueName: "command"))
    var outboxCommand: String?

    func validate() throws {
        guard outbox == nil || outboxCommand == nil else {
            throw ValidationError("--outbox and --outbox-command: messages go one way, name one of them")
        }
        if let outboxCommand, !outboxCommand.hasPrefix("/") {
            throw ValidationError(
                "--outbox-command '\(outboxCommand)': name the executable by its absolute path")
        }
    }

    /// The options as the controller, and another `fleet` in the same directory, would be given them.
    var arguments: [String] {
        (allowsSignUp ? ["--allow-signup"] : []) + (outbox.map { ["--outbox", $0] } ?? [])
            + (outboxCommand.map { ["--outbox-command", $0] } ?? [])
    }
}
