import FleetProtocol

/// The sites of all accounts.
struct Sites: Sendable {
    /// What sites may take.
    struct Bounds: Sendable {
        var sites = Limits.accountSites
    }

    private var tables: [AccountIndex: SiteTable] = [:]
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

    /// Whether something was ever said there.
    func has(_ account: AccountIndex) -> Bool { tables[account] != nil }

    /// Takes over what an earlier life has kept.
    mutating func take(_ kept: KeptSites, of account: AccountIndex) {
        change(account) { $0 = SiteTable(kept) }
    }

    /// Why there is no room for what somebody says of a site; nil where there is.
    ///
    /// - Parameter share: The bytes that the account may have.
    func objection(
        to profile: SiteProfile, of id: SiteID?, in account: AccountIndex, within share: Int
    ) -> String? {
        let known = id.flatMap { self[account].sites[$0] }
        if known == nil, self[account].sites.count >= bounds.sites {
            return "the account has \(bounds.sites) sites; remove one first"
        }
        let more = profile.bytes - (known?.profile.bytes ?? 0)
        guard more > 0 else { return nil }
        guard self[account].bytes + more <= share else {
            return "the account has \(share) bytes for what is said of its sites; shorten descriptions"
        }
        return nil
    }

    /// Why so many devices cannot be assigned; nil where they can.
    ///
    /// - Parameter share: How many the account may assign.
    func objection(
        toAssigning devices: Set<DeviceID>, in account: AccountIndex, within share: Int
    ) -> String? {
        let table = self[account]
        let more = devices.count { table.assigned($0) == nil }
        guard table.assignments.count + more <= share else {
            return "the account can assign \(share) devices to sites, and has no room for more"
        }
        return nil
    }

    /// Changes what an account has said.
    mutating func change<Result>(_ account: AccountIndex, _ change: (inout SiteTable) -> Result) -> Result {
        var table = tables.removeValue(forKey: account) ?? SiteTable()
        defer { tables[account] = table }
        return change(&table)
    }
}
