import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// `fleet password`: the commands that reset a forgotten password.
struct PasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Get in again when you forgot your password.",
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

/// The failure of a password reset without an outbox.
extension CommandFailure {
    /// The fleet cannot send tokens, because it was started without an outbox.
    static var noOutbox: CommandFailure {
        CommandFailure(
            .notPermitted, "this fleet sends no tokens: nothing was done",
            advice: "start it with `fleet up --outbox DIRECTORY`, or ask an operator: `fleet user password`")
    }
}

/// `fleet password forgot`: requests a password reset token for a user.
struct PasswordForgotCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgot", abstract: "Have a token sent with which another password can be chosen.",
        discussion: """
            What is said is the same whether or not there is such a user. The token is good \
            for 15 minutes, once; a new one ends the one before it, and an address is sent one \
            a minute at most.

            EXAMPLES
              fleet password forgot ann@example.com
            """)

    @Argument(help: "Whose password.", transform: Email.parse) var email: Email

    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        do {
            try await access.withClient(nil) { try await $0.forgotPassword(of: email) }
        } catch FleetError.refused(.notAllowed) {
            throw CommandFailure.noOutbox
        }
        surroundings.print(
            "if there is a user \(email), a token is on its way: `fleet password reset` takes it")
        return .done
    }
}

/// `fleet password reset`: sets a new password with a password reset token.
struct PasswordResetCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Choose another password with the token that you were sent.",
        discussion: """
            Every session of yours ends, and your API keys are revoked. The token, and the \
            password twice, are typed at the terminal, unseen, or come through a pipe: a line \
            with the token, and a line with the password, of \(Limits.chosenPasswordBytes) bytes at least.

            EXAMPLES
              fleet password reset
              fleet password reset --stdin < token-and-password.txt
            """)

    @Flag(
        name: .customLong("stdin"), help: "Read the token and the password from standard input, a line each.")
    var readsStandardInput = false

    @OptionGroup var keepKeys: KeepKeysOption
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let ended = try await access.withClient(nil) { client -> EndedSessions in
            // Without password resets, the command fails before the user types a token.
            guard try await client.waysIn().recovers else { throw CommandFailure.noOutbox }
            let token = try token(in: surroundings)
            let password = try PasswordOption.chosen(for: nil, isPiped: readsStandardInput, in: surroundings)
            do {
                let (email, sessions, keys) = try await client.resetPassword(
                    with: token, to: password, keepsKeys: keepKeys.isWanted)
                return EndedSessions(of: email, count: sessions, keys: keys)
            } catch FleetError.refused(.unauthenticated) {
                throw CommandFailure(
                    .notPermitted, "the token is none, was used, or is too old: nothing was changed",
                    advice: "`fleet password forgot EMAIL` has another one sent")
            } catch FleetError.refused(.notAllowed) {
                throw CommandFailure.noOutbox
            }
        }
        let words = "\(ended.email) has another password; \(ended.words)"
        surroundings.print(
            json.isWanted ? ended.json.line : "\(words); log in with `fleet login \(ended.email)`")
        return .done
    }

    /// Reads the token from standard input or the terminal, ignoring all whitespace.
    private func token(in surroundings: Surroundings) throws(CommandFailure) -> Token {
        if !readsStandardInput { surroundings.say("token of the message:") }
        let text =
            try readsStandardInput ? surroundings.terminal.readLine() : surroundings.terminal.readPassword()
        guard let text else { throw CommandFailure(.refused, "no token was given: nothing was done") }
        guard let token = Token(hexadecimal: String(text.filter { !$0.isWhitespace })) else {
            throw CommandFailure(
                .usage, "a token has \(Token.length * 2) hexadecimal digits", advice: "copy all of it")
        }
        return token
    }
}
