import ArgumentParser
import FleetClient
import FleetProtocol
import Runtime
import Wording

/// `fleet signup`: makes an account of one's own, and opens a session for the commands that follow.
struct SignUpCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "signup",
        abstract: "Make an account of your own, and log in to it.",
        discussion: """
            You are its owner; it has no devices until a node is started for it. The fleet must \
            have been started with --allow-signup. The password is typed at the terminal, unseen \
            and twice, or comes as a line through a pipe. The session is kept in the run directory, \
            in the place of another one.

            EXAMPLES
              fleet signup ann@example.com
              fleet signup ann@example.com --password-stdin < password.txt
            """)

    @Argument(help: "Your name at log-in.", transform: Email.parse)
    var email: Email

    @OptionGroup var password: PasswordOption
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let session = try await access.withClient(nil) { client -> StoredSession in
            let ways = try await client.waysIn()
            guard ways.signsUp else { throw Self.off }
            let password = try password.chosen(for: email, in: surroundings)
            do {
                let (session, token) = try await client.signUp(email: email, password: password)
                return StoredSession(session, token: token)
            } catch FleetError.refused(.unauthenticated) {
                throw CommandFailure(
                    .notPermitted, "somebody has \(email) already, with another password",
                    advice: "if it is you, `fleet login \(email)`, or `fleet password forgot \(email)`")
            } catch FleetError.refused(.notAllowed(let why)) {
                throw CommandFailure(.notPermitted, "nobody can sign up: \(SafeText.of(why))")
            }
        }
        try session.write(to: access.directory.sessionFile)
        surroundings.say("fleet: signed up and logged in as \(session.email) in account \(session.account)")
        return .done
    }

    private static var off: CommandFailure {
        CommandFailure(
            .notPermitted, "sign-up is off in this fleet: nothing was done",
            advice: "start it with `fleet up --allow-signup`, or ask an operator for `fleet user add`")
    }
}
