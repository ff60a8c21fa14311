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

    @Argument(help: "Whose session.", transform: Email.parse)
    var email: Email

    @OptionGroup var password: PasswordOption
    @OptionGroup var runDirectory: RunDirectoryOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let password = try password.known(of: email, in: surroundings)
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
}
