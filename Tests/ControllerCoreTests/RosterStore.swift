import FleetProtocol

@testable import ControllerCore

/// The store's copy of roster entries, returned at the next start.
struct RosterStore {
    private var stored: [AccountID: StoredRoster] = [:]

    /// The rosters of all accounts.
    var rosters: [StoredRoster] { stored.values.sorted { $0.account < $1.account } }

    mutating func store(_ entry: RosterEntry) {
        switch entry {
        case .headed(let account, let version, let heading):
            let known = stored[account]
            stored[account] = StoredRoster(
                account: account, version: version, heading: heading, timeZone: known?.timeZone ?? .utc,
                lastImport: known?.lastImport, shifts: known?.shifts ?? [])
        case .replaced(let roster): stored[roster.account] = roster
        }
    }
}
