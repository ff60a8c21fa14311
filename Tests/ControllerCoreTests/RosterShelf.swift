import FleetProtocol

@testable import ControllerCore

/// The store's copy of roster entries, returned at the next start.
struct RosterShelf {
    private var kept: [AccountID: StoredRoster] = [:]

    /// The rosters of all accounts.
    var rosters: [StoredRoster] { kept.values.sorted { $0.account < $1.account } }

    mutating func keep(_ entry: RosterEntry) {
        switch entry {
        case .headed(let account, let version, let heading):
            let known = kept[account]
            kept[account] = StoredRoster(
                account: account, version: version, heading: heading, timeZone: known?.timeZone ?? .utc,
                lastImport: known?.lastImport, shifts: known?.shifts ?? [])
        case .replaced(let roster): kept[roster.account] = roster
        }
    }
}
