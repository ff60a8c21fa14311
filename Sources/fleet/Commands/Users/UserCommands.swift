import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct UserCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "user", abstract: "Manage the users of the account; for operators.",
        discussion: """
            The user who is created with a local fleet is an operator. You cannot remove yourself, \
            or the last owner.

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

struct UserAddCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a user to the account.",
        discussion: """
            You type the password twice without echo at the terminal, or pipe it as a line.

            EXAMPLES
              fleet user add ann@example.com --role viewer
              fleet user add ben@example.com --operator --password-stdin < password.txt
            """)

    @Argument(help: "The email address with which the user logs in.", transform: Email.parse) var email: Email
    @Option(help: "The role.") var role = RoleArgument.member

    @Flag(name: .customLong("operator"), help: "Allow the user to inject faults and manage users.")
    var isOperator = false

    @OptionGroup var password: PasswordOption
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let password = try password.chosen(for: email, in: access.surroundings)
        let user = User(email: email, role: role.role, isOperator: isOperator)
        try await access.withSession { try await $0.addUser(user, password: password) }
        return CommandOutput(user.json, Program.worded("\(email) can log in with `fleet login \(email)`"))
    }
}

struct UserListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the users of the account.",
        discussion: """
            EXAMPLES
              fleet user list
              fleet user list --json | jq -r 'select(.operator) | .email'
            """)

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        .list(try await access.withSession { try await $0.users() }, User.columns, json: \.json)
    }
}

struct UserRemoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove", abstract: "Remove a user from the account, and end their sessions.",
        discussion: """
            Their requests that no device has received are cancelled, and their command queues stop after \
            the running command. You cannot remove yourself, or the last owner.

            EXAMPLES
              fleet user remove ann@example.com
            """)

    @Argument(help: "The user.", transform: Email.parse) var email: Email
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let count = try await access.withSession(else: .noUser(email)) { try await $0.removeUser(email) }
        let ended = EndedSessions(email: email, count: count)
        return CommandOutput(ended.json, "\(email) was removed; \(ended.text)")
    }
}

struct UserRoleCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "role", abstract: "Change a user's role.",
        discussion: """
            The new role applies to the user's sessions and keys at once. The waiting requests and the \
            command queues of a new viewer end as with `fleet user remove`. You cannot change your own \
            role, so an account always has an owner.

            EXAMPLES
              fleet user role ann@example.com owner
              fleet user role ann@example.com viewer --json
            """)

    @Argument(help: "The user.", transform: Email.parse) var email: Email
    @Argument(help: "The new role.") var role: RoleArgument
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let user = try await access.withSession(else: .noUser(email)) {
            try await $0.changeRole(of: email, to: role.role)
        }
        return CommandOutput(user.json, "\(email) now has the role \(user.role.name)")
    }
}

struct UserPasswordCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "password",
        abstract: "Change a user's password, end their sessions and revoke their keys.",
        discussion: """
            Of your own sessions, the one that the commands use stays. The password has at least \
            \(Limits.chosenPasswordBytes) bytes. You type it twice without echo at the terminal, or \
            pipe it as a line.

            EXAMPLES
              fleet user password ann@example.com
              fleet user password ann@example.com --password-stdin < password.txt
              fleet user password ann@example.com --keep-keys
            """)

    @Argument(help: "The user.", transform: Email.parse) var email: Email
    @OptionGroup var retainKeys: RetainKeysOption
    @OptionGroup var password: PasswordOption
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let password = try password.chosen(for: email, in: access.surroundings)
        let (sessions, keys) = try await access.withSession(else: .noUser(email)) {
            try await $0.changePassword(of: email, to: password, retainsKeys: retainKeys.isWanted)
        }
        let ended = EndedSessions(email: email, count: sessions, keys: keys)
        return CommandOutput(ended.json, "password of \(email) changed; \(ended.text)")
    }
}

extension User {
    var json: JSONObject { ["email": email.address, "role": role.name, "operator": isOperator] }

    static var columns: [TextTable.Column<User>] {
        [
            ("EMAIL", .left, { $0.email.address }), ("ROLE", .left, { $0.role.name }),
            ("OPERATOR", .left, { $0.isOperator ? "yes" : "no" }),
        ]
    }
}

extension APIKey {
    /// The JSON object for scripts, without the secret.
    var json: JSONObject {
        ["name": name.text, "user": user.address, "scope": scope.name, "madeAtMs": madeAt.unixMilliseconds]
    }

    /// The JSON object for the script that creates the key: the only output with the secret.
    func json(with secret: String) -> JSONObject {
        ["name": name.text, "user": user.address, "scope": scope.name, "key": secret]
    }

    static var columns: [TextTable.Column<APIKey>] {
        [
            ("NAME", .left, { $0.name.text }), ("SCOPE", .left, { $0.scope.name }),
            ("CREATED", .left, { TimeText.iso8601($0.madeAt) }),
        ]
    }
}

struct EndedSessions: Equatable, Sendable {
    let email: Email
    let count: Int
    /// The number of revoked keys; nil after the removal of the user.
    var keys: Int?

    var json: JSONObject {
        let ended: JSONObject = ["email": email.address, "sessionsEnded": count]
        return keys.map { ended + ["keysRevoked": $0] } ?? ended
    }

    var text: String {
        let sessions = "\(Count.of(count, "session")) ended"
        guard let keys else { return sessions }
        return sessions + (keys == 1 ? ", 1 key was revoked" : ", \(keys) keys were revoked")
    }
}
