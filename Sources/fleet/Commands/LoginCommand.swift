import ArgumentParser
import FleetClient
import FleetProtocol
import Runtime
import Wording

/// `fleet login`: opens a session for the commands that follow.
struct LoginCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "login",
        abstract: "Log in, and keep the session for the commands that follow.",
        discussion: """
            The password is typed at the terminal, unseen, or comes as a line through \
            a pipe. The session is kept in the run directory, where only you can read it.

            EXAMPLES
              fleet login demo@sensibus.local
              fleet login demo@sensibus.local --password-stdin < password.txt
            """)

    @Argument(help: "Whose session.", transform: Self.parse)
    var email: Email

    @Flag(name: .customLong("password-stdin"), help: "Read the password from standard input.")
    var readsStandardInput = false

    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let password = try password(in: surroundings)
        let session: StoredSession
        do {
            session = try await access.withClient(nil) { client in
                let (session, token) = try await client.login(email: email, password: password)
                return StoredSession(session, token: token)
            }
        } catch FleetError.refused(.unauthenticated) {
            throw CommandFailure(
                .notPermitted, "no user \(email), or another password", advice: "check both, and try again")
        }
        try session.write(to: access.directory.sessionFile)
        surroundings.say("fleet: logged in as \(session.email) in account \(session.account)")
        return .done
    }

    private func password(in surroundings: Surroundings) throws(CommandFailure) -> Password {
        guard let text = try readsStandardInput ? surroundings.readLine() : typedPassword(in: surroundings)
        else {
            throw CommandFailure(.refused, "no password was given: nobody was logged in")
        }
        guard let password = Password(text) else {
            throw CommandFailure(.usage, "a password has 1 to \(Limits.passwordBytes) bytes")
        }
        return password
    }

    private func typedPassword(in surroundings: Surroundings) throws(CommandFailure) -> String? {
        surroundings.say("password of \(email):")
        return try surroundings.readPassword()
    }

    private static func parse(_ text: String) throws -> Email {
        guard let email = Email(text) else {
            throw ValidationError(
                "'\(SafeText.of(text))' is no email address, such as demo@sensibus.local")
        }
        return email
    }
}
