import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet user add`: lets somebody log in.
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
