import FleetProtocol

@testable import ControllerCore

/// The store's copy of site entries, returned at the next start.
struct SiteStore {
    private var written: [AccountID: [SiteID: Site]] = [:]
    private var assigned: [AccountID: [DeviceID: SiteID]] = [:]
    private var removed: [AccountID: SiteVersion] = [:]

    /// The sites of all accounts.
    var sites: [StoredSites] {
        written.sorted { $0.key < $1.key }.map { account, sites in
            StoredSites(
                account: account, sites: sites.values.sorted { $0.id < $1.id },
                removed: removed[account] ?? .zero,
                assignments: (assigned[account] ?? [:]).map { SiteAssignment(device: $0, site: $1) }
                    .sorted { $0.device < $1.device })
        }
    }

    mutating func store(_ entry: SiteEntry) {
        switch entry {
        case .written(let account, let site): written[account, default: [:]][site.id] = site
        case .removed(let account, let id, let version):
            removed[account] = max(removed[account] ?? .zero, version)
            written[account]?[id] = nil
            assigned[account] = assigned[account]?.filter { $0.value != id }
        case .assigned(let account, let devices, let site):
            for device in devices { assigned[account, default: [:]][device] = site }
        }
    }
}
