import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

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

    @Argument(
        help: "The account.", transform: AccountID.parse)
    var account: AccountID

    @Option(
        name: .customLong("to"), help: ArgumentHelp("The cell that gets it.", valueName: "name"),
        transform: CellName.parse)
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
                return try await cells.ask(source) { client, operation, _ in
                    try await client.move(order, as: operation, timeout: Self.timeout)
                }
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
        let replies = await cells.ask { try await $0.accounts(as: $1, timeout: $2) }
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
