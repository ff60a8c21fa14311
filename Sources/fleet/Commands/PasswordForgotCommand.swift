import ArgumentParser
import FleetClient
import FleetProtocol

/// `fleet password forgot`: has a token sent to a user.
struct PasswordForgotCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "forgot",
        abstract: "Have a token sent with which another password can be chosen.",
        discussion: """
            What is said is the same whether or not there is such a user. The token is good \
            for 15 minutes, once; a new one ends the one before it, and an address is sent one \
            a minute at most.

            EXAMPLES
              fleet password forgot ann@example.com
            """)

    @Argument(help: "Whose password.", transform: Email.parse)
    var email: Email

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
