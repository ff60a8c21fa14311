import FleetProtocol
import Stepping

/// The rosters of all accounts, and the room that they have together.
struct Rosters: Sendable {
    /// What rosters may take.
    struct Bounds: Sendable {
        var shifts = Limits.accountShifts
        var bytes = Limits.rosterBytes
        var allBytes = Limits.allRostersBytes
    }

    private var tables: [AccountIndex: RosterTable] = [:]
    /// What they take, with what is put aside.
    private var bytes = 0
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// An account's; empty where nothing was ever said.
    subscript(account: AccountIndex) -> RosterTable { tables[account] ?? RosterTable() }

    /// Whether the user of that email is on duty then.
    func isOnDuty(_ email: Email, of account: AccountIndex, at time: WallTime) -> Bool {
        tables[account]?.isOnDuty(email, at: time) ?? false
    }

    /// Takes over what an earlier life has kept.
    mutating func take(_ kept: KeptRoster, of account: AccountIndex) {
        change(account) { $0 = RosterTable(kept) }
    }

    /// Why there is no room for so many shifts to be put aside, or for so many bytes more; nil where there
    /// is.
    ///
    /// - Parameter total: What all shifts of the import take.
    func objection(toStaging shifts: Int, of total: Int, taking more: Int) -> String? {
        guard shifts <= bounds.shifts else {
            return "a roster has \(bounds.shifts) shifts at most; leave out those that are over"
        }
        guard total <= bounds.bytes else {
            return "a roster takes \(bounds.bytes) bytes at most; leave out shifts that are over"
        }
        return objection(to: more)
    }

    /// Why there is no room for so many bytes more; nil where there is.
    func objection(to more: Int) -> String? {
        guard more > 0, bytes + more > bounds.allBytes else { return nil }
        return "the controller has no room for more in rosters; leave out shifts that are over"
    }

    /// Changes an account's.
    mutating func change<Result>(
        _ account: AccountIndex, _ change: (inout RosterTable) -> Result
    ) -> Result {
        var table = tables.removeValue(forKey: account) ?? RosterTable()
        bytes -= table.bytes + table.stagedBytes
        defer {
            bytes += table.bytes + table.stagedBytes
            tables[account] = table
        }
        return change(&table)
    }

    /// Forgets what was put aside and waits no longer for more.
    mutating func forgetStaged(at now: MonotonicTime) {
        for (account, table) in tables {
            guard let staged = table.staged, staged.touchedAt.duration(to: now) > Limits.stagedFor else {
                continue
            }
            change(account) { $0.staged = nil }
        }
    }
}
