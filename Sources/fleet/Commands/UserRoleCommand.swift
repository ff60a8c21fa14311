import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet user role`: changes a user's role.
struct UserRoleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Change a user's role.",
        discussion: """
            The new role applies to the user's sessions and keys at once. You cannot change your own \
            role, so an account always has an owner.

            EXAMPLES
              fleet user role ann@example.com owner
              fleet user role ann@example.com viewer --json
            """)

    @Argument(help: "The user.", transform: Email.parse)
    var email: Email

    @Argument(help: "The new role.")
    var role: RoleArgument

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let user = try await access.aboutUser(email) { try await $0.changeRole(of: email, to: role.role) }
        surroundings.print(json.isWanted ? user.json.line : "\(email) is \(user.role.name) now")
        return .done
    }
}
