import ArgumentParser
import Bus
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct CellCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "cell", abstract: "List the cells of an installation, and add one.",
        discussion: """
            A cell is one controller with its nodes and its storage. Each account is in one cell; tokens and \
            API keys name it, and a log-in finds it from any cell. The file cells.yaml lists the cells; \
            copy it, and cells.secret beside it, to each machine with a controller. Machines with clients \
            only need cells.yaml.

            EXAMPLES
              fleet cell add c1 --run-directory /srv/sensibus/c1
              fleet cell add c2 --connect tcp://fleet2.example.org:7600 --key c2.key
              fleet up --cells cells.yaml --cell c1 --run-dir /srv/sensibus/c1
              fleet cell list --cells cells.yaml
            """,
        subcommands: [CellListCommand.self, CellAddCommand.self])
}

struct CellListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "Show all cells: their accounts and devices, and which are down.",
        discussion: """
            OTHERS counts the other cells whose directory a cell has, of all others. While a directory is \
            missing, sign-ups and log-ins of unknown users are answered as busy. The status is 69 if a \
            cell does not answer.

            EXAMPLES
              fleet cell list
              fleet cell list --json | jq -r 'select(.error) | .cell'
            """)

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let replies = try await CellOperator(access).ask { try await $0.cellStatus() }
        var output = CommandOutput(json: replies.map(Self.json), lines: Self.table(of: replies).lines)
        for (cell, reply) in replies {
            switch reply {
            case .failure(let failure):
                output.warnings.append("cell \(cell): \(failure)")
                output.status = .absent
            case .success(let status) where status.conflicts > 0:
                output.warnings.append(
                    "cell \(cell): another cell has the same users and accounts, \(status.conflicts) in all: "
                        + "remove them from one of both")
            case .success: break
            }
        }
        return output
    }

    private typealias Reply = (cell: CellName, reply: Result<CellStatus, CommandFailure>)

    private static func json(_ reply: Reply) -> JSONObject {
        switch reply.reply {
        case .failure(let failure): ["cell": reply.cell.text, "error": failure.problem]
        case .success(let status):
            [
                "cell": reply.cell.text, "epoch": status.epoch.value, "accounts": status.accounts,
                "users": status.users, "devices": status.devices, "online": status.online,
                "others": status.others.map(\.json), "conflicts": status.conflicts,
            ]
        }
    }

    private static func table(of replies: [Reply]) -> TextTable {
        var table = TextTable([
            ("CELL", .left), ("STATE", .left), ("ACCOUNTS", .right), ("USERS", .right), ("DEVICES", .right),
            ("ONLINE", .right), ("OTHERS", .right),
        ])
        for (cell, reply) in replies {
            guard case .success(let status) = reply else {
                table.add([cell.text, "no answer", "", "", "", "", ""])
                continue
            }
            let known = status.others.count { $0.isKnown && $0.hasSameCells }
            let counts = [status.accounts, status.users, status.devices, status.online]
            table.add(
                [cell.text, "up"] + counts.map { FigureText.count(Int($0)) }
                    + ["\(known) of \(status.others.count)"])
        }
        return table
    }
}

extension CellStatus.OtherCell {
    fileprivate var json: JSONObject {
        [
            "cell": name.text, "known": isKnown, "sameCells": hasSameCells,
            "silentMs": silent?.wholeMilliseconds,
        ]
    }
}

struct CellAddCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "add", abstract: "Add a cell to cells.yaml; the first one also makes the cells' secret.",
        discussion: """
            The controllers follow the file: copy the new one to each of them. New accounts land on the \
            new cell as soon as all controllers have it.

            EXAMPLES
              fleet cell add c1 --run-directory /srv/sensibus/c1
              fleet cell add c2 --connect tcp://fleet2.example.org:7600 --key c2.key
            """)

    @Argument(help: "The name of the cell: 1 to 16 of a-z, 0-9 and -.", transform: CellName.parse)
    var name: CellName

    @Option(help: .value("directory", "The run directory of a cell on this machine."))
    var runDirectory: String?

    @Option(
        help: .value("tcp://HOST:PORT", "The address of a cell on the network."),
        transform: { try NetworkAddress($0) })
    var connect: NetworkAddress?

    @Option(
        help: .value(
            "hex|file", "The server key of that cell, or a file with it: what `fleet key show` prints there.")
    )
    var key: String?

    @Option(help: .value("file", "The file with the list (default: SENSIBUS_CELLS, else cells.yaml here)."))
    var cells: String?

    func validate() throws {
        try require(
            (runDirectory == nil) == (connect != nil) && (connect == nil) == (key == nil),
            "give --run-directory, or --connect and --key")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let path = surroundings.path(
            of: cells ?? surroundings.environment[CellOptions.variable] ?? "cells.yaml")
        let file = CellListFile(path: path)
        let secret = CellSecret.file(beside: path, environment: surroundings.environment)
        let hasSecret = try CellSecret.read(from: secret) != nil
        guard hasSecret || !file.exists else {
            throw CommandFailure(
                .notPermitted, "no secret of the cells at \(secret), and \(path) exists: nothing was changed",
                advice: "copy the secret from a cell; the cells of one list have the same one")
        }
        let count: Int
        do {
            count = try file.add(CellList.Cell(name: name, location: try location(in: surroundings)))
        } catch let error where error is RuntimeError || error is CommandFailure {
            throw error
        } catch {
            throw CommandFailure(.usage, "\(error)")
        }
        if !hasSecret {
            try CellSecret.make(at: secret)
            surroundings.notify("fleet: made \(secret): every controller of a cell needs it")
        }
        surroundings.notify("fleet: added \(name) to \(path), which now has \(Count.of(count, "cell"))")
        return .done
    }

    private func location(in surroundings: Surroundings) throws -> CellList.Cell.Location {
        if let connect, let key { return .network(connect, key: try surroundings.publicKey(key)) }
        return .directory(surroundings.path(of: runDirectory ?? ""))
    }
}

/// An operator of all cells, who can read the cells' secret.
struct CellOperator: Sendable {
    private static let timeout: Duration = .seconds(2)

    let access: ControllerAccess
    let cells: CellConnections
    private let credentials: Credentials

    /// The operator of the cells that the options, the environment or the run directory name.
    init(_ access: ControllerAccess) throws {
        guard let cells = access.cells else {
            throw CommandFailure(
                .usage, "no list of cells: this fleet has none",
                advice: "name the file with --cells, or begin one with `fleet cell add`")
        }
        let environment = access.surroundings.environment
        let path = CellSecret.file(beside: cells.path, environment: environment)
        guard let secret = try CellSecret.read(from: path) else {
            throw CommandFailure(
                .notPermitted, "no secret of the cells at \(path)",
                advice: "copy it from a cell, or name it with \(CellSecret.variable)")
        }
        guard let email = Email("operator@cells.sensibus.local") else {
            preconditionFailure("the operator's email is allowed")
        }
        (self.access, self.cells) = (access, cells)
        credentials = Credentials(user: email, token: secret.token)
    }

    /// Asks all cells at the same time; returns the replies in the order of the list.
    func ask<Reply: Sendable>(
        _ work: @escaping @Sendable (ServiceCaller) async throws -> Reply
    ) async -> [(cell: CellName, reply: Result<Reply, CommandFailure>)] {
        let names = cells.list.cells.map(\.name)
        let replies = await withTaskGroup(of: (CellName, Result<Reply, CommandFailure>).self) { group in
            for name in names { group.addTask { (name, await result(of: work, at: name)) } }
            return await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        return names.compactMap { name in replies[name].map { (name, $0) } }
    }

    func ask<Reply: Sendable>(
        _ cell: CellName, timeout: Duration = Self.timeout,
        _ work: @Sendable (ServiceCaller) async throws -> Reply
    ) async throws -> Reply {
        do {
            return try await access.at(cell).withClient(nil, reportsWait: false) {
                try await work($0.services(as: credentials, timeout: timeout))
            }
        } catch FleetError.refused(.unauthenticated) {
            throw CommandFailure(
                .notPermitted, "cell \(cell) does not accept this operator",
                advice:
                    "it has another secret, was started without --cells, or the key of this machine is limited to an account"
            )
        }
    }

    private func result<Reply: Sendable>(
        of work: @Sendable (ServiceCaller) async throws -> Reply, at cell: CellName
    ) async -> Result<Reply, CommandFailure> {
        do {
            return .success(try await ask(cell, work))
        } catch {
            return .failure(CommandFailure(of: error))
        }
    }
}
