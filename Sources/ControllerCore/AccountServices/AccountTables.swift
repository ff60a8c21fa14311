/// The tables of an account service: one for each account that has changed its own.
protocol AccountTables: Sendable {
    associatedtype Table: AccountTable

    var tables: [AccountIndex: Table] { get set }
}

/// The table of one account.
protocol AccountTable: Sendable {
    init()
}

extension AccountTables {
    /// The table of an account; empty if it was never changed.
    subscript(account: AccountIndex) -> Table { tables[account] ?? Table() }

    /// Whether the account's table was ever changed.
    func has(_ account: AccountIndex) -> Bool { tables[account] != nil }

    mutating func change<Result>(_ account: AccountIndex, _ change: (inout Table) -> Result) -> Result {
        var table = tables.removeValue(forKey: account) ?? Table()
        defer { tables[account] = table }
        return change(&table)
    }
}
