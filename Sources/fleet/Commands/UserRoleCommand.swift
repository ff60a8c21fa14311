import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet user role`: gives a user another role.
struct UserRoleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "role",
        abstract: "Change a user's role.",
        discussion: """
            Their sessions and keys have the new role at once. You cannot change your own role, and an \
            account keeps an owner.

            EXAMPLES
              fleet user role ann@example.com owner
              fleet user role ann@example.com viewer --json
            """)

    @Argument(help: "The user.", transform: Email.parse)
    var email: Email

    @Argument(help: "What they may do.")
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
