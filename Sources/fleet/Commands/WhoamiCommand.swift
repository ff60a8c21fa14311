import ArgumentParser
import FleetClient
import FleetProtocol
import Runtime
import Wording

/// `fleet whoami`: shows the user of the session that the commands use.
struct WhoamiCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "whoami",
        abstract: "Show who is logged in here, with account and role.",
        discussion: """
            The command asks the controller, so it fails with status 77 if the session has ended.

            EXAMPLES
              fleet whoami
              fleet whoami --json | jq -r .role
            """)

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let token = try StoredSession.read(from: access.directory.sessionFile).token
        let session = try await access.withClient(nil) { try await $0.who(has: token) }
        surroundings.print(json.isWanted ? session.json.line : session.words)
        return .done
    }
}

extension Session {
    /// The line for scripts.
    fileprivate var json: JSONValue {
        [
            "email": .string(email.address), "account": .string(account.name), "role": .string(role.name),
            "operator": .bool(isOperator),
        ]
    }

    /// For people.
    fileprivate var words: String {
        "\(email), \(role.name) of account \(account)\(isOperator ? ", operator" : "")"
    }
}
