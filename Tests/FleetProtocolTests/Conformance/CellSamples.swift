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

    fileprivate var hash: CellHash { CellHash(high: 0x0123_4567_89ab_cdef, low: 0xfedc_ba98_7654_3210) }
}

extension CellRequest: Conformant {
    typealias Generated = Sensibus_V1_CellRequest

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
        ]
    }
}

extension CellReply: Conformant {
    typealias Generated = Sensibus_V1_CellReply

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
                "status",
                .status(
                    CellStatus(
                        cell: given.cell, epoch: Epoch(1_795_749_711), accounts: 2, users: 3, devices: 1_000,
                        online: 998, others: others, conflicts: 1))
            ),
            (
                "accounts",
                .accounts(
                    AccountPage(
                        accounts: [AccountRow(account: given.account, users: 2, devices: 100, online: 99)],
                        isLast: false))
            ),
            ("no accounts", .accounts(AccountPage(accounts: [], isLast: true))),
            ("created", .created(given.account)),
        ]
    }
}
