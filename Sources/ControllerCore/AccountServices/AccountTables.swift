/// The tables of an account service: one for each account that has changed its own.
protocol AccountTables: Sendable {
    associatedtype Table: AccountTable

    var tables: [AccountIndex: Table] { get set }
}

protocol AccountTable: Sendable {
    init()
}

extension AccountTables {
    /// The table of an account; empty if it was never changed.
    subscript(account: AccountIndex) -> Table {
        get { tables[account] ?? Table() }
        _modify { yield &tables[account, default: Table()] }
    }

    func has(_ account: AccountIndex) -> Bool { tables[account] != nil }
}
