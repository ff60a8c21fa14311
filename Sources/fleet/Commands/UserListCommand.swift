import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet user list`: tells who may log in.
struct UserListCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List who may log in to the account.",
        discussion: """
            EXAMPLES
              fleet user list
              fleet user list --json | jq -r 'select(.operator) | .email'
            """)

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let users = try await access.withSession { try await $0.users() }
        if json.isWanted {
            for user in users { surroundings.print(user.json.line) }
        } else {
            for line in User.table(of: users).lines { surroundings.print(line) }
        }
        return .done
    }
}
