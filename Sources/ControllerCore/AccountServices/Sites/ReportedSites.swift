import FleetProtocol

/// The sites that nodes report for an account's devices, resolved from the site names of their groups.
struct ReportedSites: Sendable {
    /// The site of each group, in the order of group numbers; nil for a group without a valid site name.
    let byGroup: [SiteID?]
    /// The sites that only nodes have named: no user has described them.
    let undescribed: [SiteID: SiteProfile]

    init(_ groups: [DeviceGroup], _ table: SiteTable, of account: AccountID) {
        var byGroup: [SiteID?] = []
        var undescribed: [SiteID: SiteProfile] = [:]
        for group in groups {
            // A node may report a name that is not valid for a site.
            guard let profile = try? SiteProfile(name: group.site) else {
                byGroup.append(nil)
                continue
            }
            let id = SiteID.reported(
                group.site, in: account, hasProfile: { table.sites[$0] != nil }, named: table.site(named:))
            byGroup.append(id)
            if table.sites[id] == nil, undescribed[id] == nil { undescribed[id] = profile }
        }
        (self.byGroup, self.undescribed) = (byGroup, undescribed)
    }

    subscript(group: GroupNumber) -> SiteID? { group == .none ? nil : byGroup[Int(group.value) - 1] }
}
