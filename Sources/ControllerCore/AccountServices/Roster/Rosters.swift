import FleetProtocol
import Stepping

/// The rosters of all accounts.
struct Rosters: Sendable {
    /// What rosters may take.
    struct Bounds: Sendable {
        var shifts = Limits.accountShifts
    }

    private var tables: [AccountIndex: RosterTable] = [:]
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

    /// Whether something was ever said there.
    func has(_ account: AccountIndex) -> Bool { tables[account] != nil }

    /// Takes over what an earlier life has kept.
    mutating func take(_ kept: KeptRoster, of account: AccountIndex) {
        change(account) { $0 = RosterTable(kept) }
    }

    /// Why shifts cannot be put aside; nil where they can.
    ///
    /// - Parameters:
    ///   - total: What all shifts of the import take.
    ///   - share: The bytes that the account may put aside, and as many in its roster.
    func objection(toStaging shifts: Int, of total: Int, within share: Int) -> String? {
        guard shifts <= bounds.shifts else {
            return "a roster has \(bounds.shifts) shifts at most; leave out those that are over"
        }
        guard total <= share else {
            return "the account's roster takes \(share) bytes at most; leave out shifts that are over"
        }
        return nil
    }

    /// Why an account's roster cannot get another heading; nil where it can.
    func objection(to heading: RosterHeading, of account: AccountIndex, within share: Int) -> String? {
        let table = self[account]
        let more = heading.bytes - table.heading.bytes
        guard more > 0, table.bytes + more > share else { return nil }
        return "the account's roster takes \(share) bytes at most; shorten the message, or leave out shifts"
    }

    /// Changes an account's.
    mutating func change<Result>(
        _ account: AccountIndex, _ change: (inout RosterTable) -> Result
    ) -> Result {
        var table = tables.removeValue(forKey: account) ?? RosterTable()
        defer { tables[account] = table }
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
