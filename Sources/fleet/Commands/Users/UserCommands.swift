import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// `fleet user`: the commands for the account's users.
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

/// `fleet user add`: adds a user to the account.
struct UserAddCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "add",
        abstract: "Let somebody log in to the account.",
        discussion: """
            The password is typed at the terminal, unseen and twice, or comes as a line \
            through a pipe.

            EXAMPLES
              fleet user add ann@example.com --role viewer
              fleet user add ben@example.com --operator --password-stdin < password.txt
            """)

    @Argument(help: "Their name at log-in.", transform: Email.parse)
    var email: Email

    @Option(help: "What they may do.")
    var role = RoleArgument.member

    @Flag(name: .customLong("operator"), help: "Let them inject faults and manage users.")
    var isOperator = false

    @OptionGroup var password: PasswordOption
    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let password = try password.chosen(for: email, in: surroundings)
        let user = User(email: email, role: role.role, isOperator: isOperator)
        try await access.withSession { try await $0.addUser(user, password: password) }
        surroundings.print(
            json.isWanted ? user.json.line : "\(email) may log in, with `fleet login \(email)`")
        return .done
    }
}

/// `fleet user list`: lists the account's users.
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

/// `fleet user remove`: removes a user from the account, and ends their sessions.
struct UserRemoveCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take somebody out of the account, and end their sessions.",
        discussion: """
            What they asked of devices goes on. Nobody removes themselves or the last owner.

            EXAMPLES
              fleet user remove ann@example.com
            """)

    @Argument(help: "Who.", transform: Email.parse)
    var email: Email

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let ended = EndedSessions(
            of: email,
            count: try await access.aboutUser(email) { try await $0.removeUser(email) })
        surroundings.print(json.isWanted ? ended.json.line : "\(email) was removed; \(ended.words)")
        return .done
    }
}

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

/// `fleet user password`: changes a user's password.
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
