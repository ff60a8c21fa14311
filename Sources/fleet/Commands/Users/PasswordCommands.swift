import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct PasswordCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "password", abstract: "Reset a forgotten password.",
        discussion: """
            You get a code, with which you can set a new password within 15 minutes. The fleet \
            must have been started with --outbox or --outbox-command. An operator can set the \
            password of another user without a code: `fleet user password`.

            EXAMPLES
              fleet password forgot ann@example.com
              fleet password reset
            """,
        subcommands: [PasswordForgotCommand.self, PasswordResetCommand.self])
}

extension CommandFailure {
    /// The fleet cannot send codes, because it was started without an outbox.
    static var noOutbox: CommandFailure {
        CommandFailure(
            .notPermitted, "password reset is disabled in this fleet: nothing was sent",
            advice: "start it with `fleet up --outbox DIRECTORY`, or ask an operator: `fleet user password`")
    }
}

struct PasswordForgotCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgot", abstract: "Request a code for a password reset.",
        discussion: """
            The answer is the same whether or not the user exists. A code works once, for 15 \
            minutes; a new one invalidates the previous one. Each address gets at most one a minute.

            EXAMPLES
              fleet password forgot ann@example.com
            """)

    @Argument(help: "The user.", transform: Email.parse) var email: Email
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        do {
            try await access.withoutSession { try await $0.forgotPassword(of: email) }
        } catch FleetError.refused(.notAllowed) {
            throw CommandFailure.noOutbox
        }
        try surroundings.print(
            Program.worded(
                "if there is a user \(email), a code has been sent: use it with `fleet password reset`"))
        return .done
    }
}

struct PasswordResetCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "reset", abstract: "Set a new password with a code.",
        discussion: """
            All your sessions end, and your API keys are revoked. You type the code, and the password \
            twice, without echo at the terminal, or pipe them: a line with the code, and a line \
            with the password, of at least \(Limits.chosenPasswordBytes) bytes.

            EXAMPLES
              fleet password reset
              fleet password reset --stdin < code-and-password.txt
            """)

    @Flag(
        name: .customLong("stdin"), help: "Read the code and the password from standard input, a line each.")
    var readsStandardInput = false

    @OptionGroup var retainKeys: RetainKeysOption
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        // Without password resets, the command fails before the user types the code.
        guard try await access.withClient(nil, { try await $0.selfService() }).resetsPasswords else {
            throw CommandFailure.noOutbox
        }
        let code = try token(in: surroundings)
        let password = try PasswordOption.chosen(for: nil, isPiped: readsStandardInput, in: surroundings)
        let ended = try await access.at(code.cell).withClient(nil) { client -> EndedSessions in
            do {
                let (email, sessions, keys) = try await client.resetPassword(
                    with: code.token, to: password, retainsKeys: retainKeys.isWanted)
                return EndedSessions(email: email, count: sessions, keys: keys)
            } catch FleetError.refused(.unauthenticated) {
                throw CommandFailure(
                    .notPermitted, "the code is invalid or has expired: nothing was changed",
                    advice: "request a new one with `fleet password forgot EMAIL`")
            } catch FleetError.refused(.notAllowed) {
                throw CommandFailure.noOutbox
            }
        }
        let text = "password of \(ended.email) changed; \(ended.text)"
        try surroundings.print(
            json.isWanted
                ? ended.json.line : Program.worded("\(text); log in with `fleet login \(ended.email)`"))
        return .done
    }

    /// Reads the code from standard input or the terminal, ignoring all whitespace.
    private func token(in surroundings: Surroundings) throws(CommandFailure) -> CellToken {
        let text =
            try readsStandardInput
            ? surroundings.terminal.readLine()
            : surroundings.terminal.readPassword { surroundings.notify("code from the message:") }
        guard let text else { throw CommandFailure(.refused, "no code was given: nothing was changed") }
        guard let token = CellToken(String(text.filter { !$0.isWhitespace })) else {
            throw CommandFailure(
                .usage, "that is not a code: it ends with \(Token.length * 2) hexadecimal digits",
                advice: "copy all of it")
        }
        return token
    }
}
