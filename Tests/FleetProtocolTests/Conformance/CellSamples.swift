import Testing

@testable import FleetProtocol

extension Given {
    var cell: CellName {
        guard let cell = CellName("c2") else { preconditionFailure("c2 is a cell's name") }
        return cell
    }

    fileprivate var password: Password {
        guard let password = Password("correct horse") else { preconditionFailure("the password is allowed") }
        return password
    }

    fileprivate var move: AccountMove {
        AccountMove(
            account: account, source: cell, target: CellName("c3") ?? cell, epoch: epoch, number: 2)
    }

    fileprivate var hash: CellHash { CellHash(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210) }
}

extension CellRequest: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        [
            ("first pull", .pull(CellDirectoryPull(cell: given.cell, generation: 0, position: 0))),
            ("later pull", .pull(CellDirectoryPull(cell: given.cell, generation: 1 << 51, position: 4_096))),
            ("status", .status), ("first accounts", .accounts(after: nil)),
            ("more accounts", .accounts(after: given.account)),
            (
                "create",
                .create(
                    AccountCreation(
                        account: given.account, email: given.email, password: given.password,
                        isOperator: true))
            ),
            ("move", .move(AccountMoveOrder(account: given.account, target: given.cell))),
            ("offer", .offer(AccountMoveOffer(move: given.move, devices: 100_000))),
            (
                "history",
                .content(MoveContentQuery(move: given.move, part: .history, position: 0))
            ),
            ("rest", .content(MoveContentQuery(move: given.move, part: .rest, position: 61_440))),
            ("commit", .commit(given.move)),
        ]
    }
}

extension CellReply: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let changes = [CellDirectoryChange(given.hash), CellDirectoryChange(given.hash, isRemoval: true)]
        let others = [
            CellStatus.OtherCell(
                name: given.cell, isKnown: true, hasSameCells: true, silent: .milliseconds(412)),
            CellStatus.OtherCell(name: given.cell, isKnown: false, hasSameCells: false, silent: nil),
        ]
        return [
            (
                "page",
                .page(
                    CellDirectoryPage(
                        cell: given.cell, cells: given.hash, generation: 1 << 51, position: 7, total: 12,
                        changes: changes))
            ),
            (
                "empty page",
                .page(
                    CellDirectoryPage(
                        cell: given.cell, cells: given.hash, generation: 1, position: 0, total: 0, changes: []
                    ))
            ),
            (
                "page with successors",
                .page(
                    CellDirectoryPage(
                        cell: given.cell, cells: given.hash, generation: 1, position: 0, total: 0,
                        changes: [],
                        successors: [CellDirectoryPage.Successor(cell: given.cell, epoch: given.epoch)]))
            ),
            ("moved", .moved(given.account, to: given.cell)),
            (
                "content",
                .content(
                    MoveContent(
                        move: given.move, part: .rest, position: 7, next: 10, isLast: true,
                        content: [1, 2, 3]))
            ),
            (
                "no content yet",
                .content(
                    MoveContent(
                        move: given.move, part: .history, position: 7, next: 7, isLast: false, content: []))
            ),
            (
                "refused move",
                .moveStatus(
                    AccountMoveStatus(
                        move: given.move, phase: .refused, reason: "the disk of cell c3 is full",
                        epoch: given.epoch))
            ),
        ]
            + AccountMoveStatus.Phase.allCases.map { phase in
                (
                    "move \(phase)",
                    .moveStatus(AccountMoveStatus(move: given.move, phase: phase, epoch: given.epoch))
                )
            } + [
                (
                    "status",
                    .status(
                        CellStatus(
                            cell: given.cell, epoch: Epoch(1_795_749_711), accounts: 2, users: 3,
                            devices: 1_000,
                            online: 998, others: others, conflicts: 1))
                ),
                (
                    "accounts",
                    .accounts(
                        AccountPage(
                            accounts: [
                                AccountRow(account: given.account, users: 2, devices: 100, online: 99)
                            ],
                            isLast: false))
                ),
                ("no accounts", .accounts(AccountPage(accounts: [], isLast: true))),
                ("created", .created(given.account)),
            ]
    }
}
