import FleetProtocol

/// The sites of all accounts, and the room that they have together.
struct Sites: Sendable {
    /// What sites may take.
    struct Bounds: Sendable {
        var sites = Limits.accountSites
        var bytes = Limits.sitesBytes
        var allBytes = Limits.allSitesBytes
        var assignments = Limits.accountAssignments
        var allAssignments = Limits.allAssignments
    }

    private var tables: [AccountIndex: SiteTable] = [:]
    private var bytes = 0
    private var assignments = 0
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// An account's; empty where nothing was ever said.
    subscript(account: AccountIndex) -> SiteTable { tables[account] ?? SiteTable() }

    /// Whether somebody of the account has assigned devices.
    func hasAssignments(_ account: AccountIndex) -> Bool {
        tables[account].map { !$0.assignments.isEmpty } ?? false
    }

    /// Takes over what an earlier life has kept.
    mutating func take(_ kept: KeptSites, of account: AccountIndex) {
        change(account) { $0 = SiteTable(kept) }
    }

    /// Why there is no room for what somebody says of a site; nil where there is.
    func objection(to profile: SiteProfile, of id: SiteID?, in account: AccountIndex) -> String? {
        let known = id.flatMap { self[account].sites[$0] }
        if known == nil, self[account].sites.count >= bounds.sites {
            return "the account has \(bounds.sites) sites; remove one first"
        }
        let more = profile.bytes - (known?.profile.bytes ?? 0)
        guard more > 0 else { return nil }
        guard self[account].bytes + more <= bounds.bytes else {
            return "what is said of the account's sites takes \(bounds.bytes) bytes; shorten descriptions"
        }
        guard bytes + more <= bounds.allBytes else {
            return "the controller has no room for more about sites; shorten descriptions"
        }
        return nil
    }

    /// Why so many devices cannot be assigned; nil where they can.
    func objection(toAssigning devices: Set<DeviceID>, in account: AccountIndex) -> String? {
        let table = self[account]
        let more = devices.count { table.assigned($0) == nil }
        guard table.assignments.count + more <= bounds.assignments else {
            return "the account has assigned \(bounds.assignments) devices to sites, which is all it can"
        }
        guard assignments + more <= bounds.allAssignments else {
            return "the controller has no room for more devices that are assigned to sites"
        }
        return nil
    }

    /// Changes what an account has said.
    mutating func change<Result>(_ account: AccountIndex, _ change: (inout SiteTable) -> Result) -> Result {
        var table = tables.removeValue(forKey: account) ?? SiteTable()
        bytes -= table.bytes
        assignments -= table.assignments.count
        defer {
            bytes += table.bytes
            assignments += table.assignments.count
            tables[account] = table
        }
        return change(&table)
    }
}
