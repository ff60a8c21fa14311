import FleetProtocol

/// Where nodes say that an account's devices stand: what the names that their groups have mean.
struct ToldSites: Sendable {
    /// The site of each group, in the order of their numbers; nil where its node says none.
    let byGroup: [SiteID?]
    /// Those of which nobody has said anything.
    let unsaid: [SiteID: SiteProfile]

    init(_ groups: [DeviceGroup], _ table: SiteTable, of account: AccountID) {
        var byGroup: [SiteID?] = []
        var unsaid: [SiteID: SiteProfile] = [:]
        for group in groups {
            // A node may say what no site can be called.
            guard let profile = try? SiteProfile(name: group.site) else {
                byGroup.append(nil)
                continue
            }
            let id = SiteID.told(
                group.site, in: account, isSaid: { table.sites[$0] != nil }, named: table.site(named:))
            byGroup.append(id)
            if table.sites[id] == nil, unsaid[id] == nil { unsaid[id] = profile }
        }
        self.byGroup = byGroup
        self.unsaid = unsaid
    }

    /// The site of a group's devices; nil where its node says none.
    subscript(group: GroupNumber) -> SiteID? {
        group == .none ? nil : byGroup[Int(group.value) - 1]
    }
}
