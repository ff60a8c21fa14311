import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct AccountCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "account", abstract: "Create, move and list the accounts of all cells.",
        discussion: """
            These commands need the cells' secret, and no session. Users manage their own account with \
            `fleet user`.

            EXAMPLES
              fleet account create hotel-1 --email ann@example.com
              fleet account create hotel-2 --email bob@example.com --cell c2
              fleet account move hotel-1 --to c2
              fleet account list
            """,
        subcommands: [AccountCreateCommand.self, AccountMoveCommand.self, AccountListCommand.self])
}

struct AccountCreateCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an account with its first user, an owner.",
        discussion: """
            You type the password twice without echo at the terminal, or pipe it as a line. Without --cell, \
            the account goes to the cell with the fewest devices that answers.

            EXAMPLES
              fleet account create hotel-1 --email ann@example.com
              fleet account create hotel-2 --email bob@example.com --cell c2 --password-stdin < password.txt
            """)

    /// The timeout: the other cells are asked first, for at most four seconds.
    private static let timeout: Duration = .seconds(8)

    @Argument(help: "The account: 1 to 32 of a-z, 0-9 and -.", transform: AccountID.parse)
    var account: AccountID

    @Option(help: "The email of its owner.", transform: Email.parse) var email: Email

    @Option(
        help: .value("name", "The cell (default: the one with the fewest devices)."),
        transform: CellName.parse)
    var cell: CellName?

    @Flag(
        name: .customLong("operator"), inversion: .prefixedNo,
        help: "Let the owner inject faults, scale the fleet and manage users.")
    var isOperator = true

    @OptionGroup var password: PasswordOption
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let cells = try CellOperator(access)
        let place = if let cell { cell } else { try await Self.emptiest(of: cells) }
        let password = try password.chosen(for: email, in: access.surroundings)
        let creation = AccountCreation(
            account: account, email: email, password: password, isOperator: isOperator)
        try await cells.ask(place, timeout: Self.timeout) { try await $0.create(creation) }
        return CommandOutput(
            ["account": account.name, "email": email.address, "cell": place.text],
            "created account \(account) in cell \(place), with owner \(email)")
    }

    /// The cell with the fewest devices, and of these the first of the list.
    private static func emptiest(of cells: CellOperator) async throws -> CellName {
        let replies = await cells.ask { try await $0.cellStatus() }
        let devices = replies.compactMap { cell, reply in
            (try? reply.get()).map { (cell: cell, devices: $0.devices) }
        }
        guard let emptiest = devices.min(by: { $0.devices < $1.devices }) else {
            throw CommandFailure(.absent, "no cell answers", advice: "see `fleet cell list`")
        }
        return emptiest.cell
    }
}

struct AccountListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List the accounts of all cells.",
        discussion: """
            The status is 69 if a cell does not answer; its accounts are then missing.

            EXAMPLES
              fleet account list
              fleet account list --json | jq -r 'select(.cell == "c2") | .account'
            """)

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let replies = try await CellOperator(access).ask { try await $0.accounts() }
        var rows: [(cell: CellName, row: AccountRow)] = []
        var failures: [String] = []
        for (cell, reply) in replies {
            switch reply {
            case .success(let accounts): rows += accounts.map { (cell, $0) }
            case .failure(let failure): failures.append("cell \(cell): \(failure)")
            }
        }
        rows.sort { $0.row.account < $1.row.account }
        var output = CommandOutput.list(rows, Self.columns, json: Self.json)
        if !failures.isEmpty { (output.warnings, output.status) = (failures, .absent) }
        return output
    }

    private static func json(_ row: (cell: CellName, row: AccountRow)) -> JSONObject {
        [
            "account": row.row.account.name, "cell": row.cell.text, "users": row.row.users,
            "devices": row.row.devices, "online": row.row.online,
        ]
    }

    private static var columns: [TextTable.Column<(cell: CellName, row: AccountRow)>] {
        [
            ("ACCOUNT", .left, { $0.row.account.name }), ("CELL", .left, { $0.cell.text }),
            ("USERS", .right, { FigureText.count(Int($0.row.users)) }),
            ("DEVICES", .right, { FigureText.count(Int($0.row.devices)) }),
            ("ONLINE", .right, { FigureText.count(Int($0.row.online)) }),
        ]
    }
}

extension AccountID {
    static func parse(_ text: String) throws -> AccountID {
        try AccountID(text).orInvalid("'\(text)' is not an account: use 1 to 32 of a-z, 0-9 and -")
    }
}

struct AccountMoveCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "move", abstract: "Move an account to another cell, with all that it has.",
        discussion: """
            Users, sessions, keys, logbook, sites, queues and the outcomes of requests go along, and tokens stay \
            valid. Ended requests are copied first. Then all requests of the account are refused as busy, for \
            less than a second as a rule, and at most 1.5 s until its open requests have ended: if some have \
            not, the account stays. Both controllers then start again in place.

            Nodes follow if they know the cells (`device-sim run --cells`), and those of `fleet up --cells` if both \
            cells are on one machine. Keys of machines that are limited to the account go along.

            EXAMPLES
              fleet account move hotel-1 --to c2
            """)

    /// The time for one reply; the controllers start again during a move.
    private static let timeout: Duration = .seconds(3)
    /// The longest time for all attempts; a long history takes about a second for 50,000 requests.
    private static let longest: Duration = .seconds(120)

    @Argument(help: "The account.", transform: AccountID.parse)
    var account: AccountID

    @Option(
        name: .customLong("to"), help: .value("name", "The cell that gets it."), transform: CellName.parse)
    var target: CellName

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let cells = try CellOperator(access)
        let source = try await Self.holder(of: account, in: cells)
        guard source != target else {
            throw CommandFailure(
                .usage, "account \(account) is in cell \(target) already", advice: "see `fleet account list`")
        }
        let began = access.surroundings.now().monotonic
        try await move(from: source, among: cells, until: began.advanced(by: Self.longest))
        return CommandOutput(
            ["account": account.name, "from": source.text, "to": target.text],
            "moved account \(account) from cell \(source) to cell \(target)")
    }

    /// Repeats the order until the cell has carried it out or refused it.
    private func move(
        from source: CellName, among cells: CellOperator, until deadline: MonotonicTime
    ) async throws {
        let order = AccountMoveOrder(account: account, target: target)
        while true {
            do {
                return try await cells.ask(source, timeout: Self.timeout) { try await $0.move(order) }
            } catch FleetError.noReply where cells.access.surroundings.now().monotonic < deadline {
                // It has not ended yet, or the controller starts again.
            } catch FleetError.refused(.busy) {
                throw CommandFailure(
                    .undecided,
                    "account \(account) stays in cell \(source): the cells did not answer in time",
                    advice: "see `fleet cell list`, then try again")
            }
        }
    }

    private static func holder(of account: AccountID, in cells: CellOperator) async throws -> CellName {
        let replies = await cells.ask { try await $0.accounts() }
        for (cell, reply) in replies {
            if let rows = try? reply.get(), rows.contains(where: { $0.account == account }) { return cell }
        }
        let silent = replies.compactMap { cell, reply in (try? reply.get()) == nil ? cell.text : nil }
        guard silent.isEmpty else {
            throw CommandFailure(
                .absent,
                "no cell that answers has an account \(account); \(silent.joined(separator: ", ")) does not",
                advice: "see `fleet cell list`")
        }
        throw CommandFailure(
            .notPermitted, "no cell has an account \(account)", advice: "see `fleet account list`")
    }
}
