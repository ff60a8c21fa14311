import ArgumentParser

/// `fleet password`: what to do when one's password is forgotten.
struct PasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Get in again when you forgot your password.",
        discussion: """
            You are sent a token, and choose another password with it within 15 minutes. The \
            fleet must have been started with --outbox or --outbox-command. An operator gives \
            somebody another password without a token: `fleet user password`.

            EXAMPLES
              fleet password forgot ann@example.com
              fleet password reset
            """,
        subcommands: [PasswordForgotCommand.self, PasswordResetCommand.self])
}

/// What to say where no tokens are sent.
extension CommandFailure {
    /// The fleet sends no messages.
    static var noOutbox: CommandFailure {
        CommandFailure(
            .notPermitted, "this fleet sends no tokens: nothing was done",
            advice: "start it with `fleet up --outbox DIRECTORY`, or ask an operator: `fleet user password`")
    }
}
