import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet user password`: gives somebody another password.
struct UserPasswordCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Change a user's password, end their sessions and revoke their keys.",
        discussion: """
            Of your own sessions the one that the commands use stays. The password has \
            \(Limits.chosenPasswordBytes) bytes at least, and is typed at the terminal, unseen and \
            twice, or comes as a line through a pipe.

            EXAMPLES
              fleet user password ann@example.com
              fleet user password ann@example.com --password-stdin < password.txt
              fleet user password ann@example.com --keep-keys
            """)

    @Argument(help: "Whose.", transform: Email.parse)
    var email: Email

    @OptionGroup var keepKeys: KeepKeysOption
    @OptionGroup var password: PasswordOption
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let password = try password.chosen(for: email, in: surroundings)
        let (sessions, keys) = try await access.aboutUser(email) {
            try await $0.changePassword(of: email, to: password, keepsKeys: keepKeys.isWanted)
        }
        let ended = EndedSessions(of: email, count: sessions, keys: keys)
        surroundings.print(
            json.isWanted ? ended.json.line : "\(email) has another password; \(ended.words)")
        return .done
    }
}
