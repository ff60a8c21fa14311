import ArgumentParser

/// `fleet user`: who may log in to the account.
struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user",
        abstract: "Manage who may log in to the account; for operators.",
        discussion: """
            The user who is made with a local fleet is an operator. Nobody removes \
            themselves or the last owner.

            EXAMPLES
              fleet user add ann@example.com --role member
              fleet user list
              fleet user role ann@example.com viewer
              fleet user password ann@example.com
              fleet user remove ann@example.com
            """,
        subcommands: [
            UserAddCommand.self, UserListCommand.self, UserRoleCommand.self, UserPasswordCommand.self,
            UserRemoveCommand.self,
        ])
}
