import FleetProtocol
import Stepping

/// The sites of an account: whoever is of it reads, and its owners change.
extension Controller {
    mutating func heardSites(
        _ request: SiteRequest, entry: Sessions.Entry, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        switch request {
        case .list(let page, let size):
            reply(.sites(.list(list(page, size, of: entry.account))), to: waiter, into: &effects)
        case .site(let reference):
            guard let report = siteReport(reference, of: entry.account) else {
                return refuse(noSuchSite(of: entry.account, at: now.monotonic), to: waiter, into: &effects)
            }
            reply(.sites(.site(report)), to: waiter, into: &effects)
        case .devices(let site, let cursor):
            guard siteReport(.id(site), of: entry.account) != nil else {
                return refuse(noSuchSite(of: entry.account, at: now.monotonic), to: waiter, into: &effects)
            }
            let devices = devices(at: site, of: entry.account, from: cursor)
            reply(.sites(.devices(devices)), to: waiter, into: &effects)
        case .assignments(let after):
            reply(.sites(.assignments(assignments(after, of: entry.account))), to: waiter, into: &effects)
        case .add, .change, .remove, .assign:
            if let refusal = objection(toChangeBy: entry) {
                return refuse(refusal, to: waiter, into: &effects)
            }
            let answer = changeSites(request, of: entry.account, at: now.monotonic, into: &effects)
            switch answer {
            case .success(let answer): reply(.sites(answer), to: waiter, into: &effects)
            case .failure(let no): refuse(no.refusal, to: waiter, into: &effects)
            }
        }
    }

    /// A device has left the fleet: nobody's assignment of it stands any longer.
    mutating func forgetAssignment(
        of device: DeviceID, in account: AccountIndex, into effects: inout Effects
    ) {
        guard sites.hasAssignments(account), sites[account].assigned(device) != nil else { return }
        sites.change(account) { $0.unassign(device) }
        effects.store(.site(.assigned(directory.accounts[Int(account)].id, [device], nil)))
    }

    /// Why there is no site of an id or a name: while nodes are not back, what only they name may come yet.
    func noSuchSite(of account: AccountIndex, at now: MonotonicTime) -> Refusal {
        isSettling(account, at: now) ? .busy(retryAfter: .milliseconds(500)) : .notFound
    }

    private func objection(toChangeBy entry: Sessions.Entry) -> Refusal? {
        guard entry.session.role == .owner else {
            return .notAllowed("only owners of the account change its sites; ask one of them")
        }
        return isStorageFull ? .storageFull(retryAfter: Limits.storageRetry) : nil
    }

    // MARK: Reading

    private func told(of account: AccountIndex) -> ToldSites {
        let record = directory.accounts[Int(account)]
        return ToldSites(record.groups.groups, sites[account], of: record.id)
    }

    /// How many devices stand at each site.
    private func counts(_ told: ToldSites, of account: AccountIndex) -> [SiteID: Int] {
        var counts: [SiteID: Int] = [:]
        let groups = directory.accounts[Int(account)].groups
        for (place, site) in told.byGroup.enumerated() {
            if let site { counts[site, default: 0] += groups.devices(at: place) }
        }
        for assignment in sites[account].assignments {
            guard let slot = directory.device(assignment.device, of: account),
                !directory.devices[slot].isAwaited
            else { continue }
            counts[assignment.site, default: 0] += 1
            if let site = told[directory.devices[slot].group] { counts[site, default: 0] -= 1 }
        }
        return counts
    }

    private func list(_ page: UInt32, _ size: UInt32, of account: AccountIndex) -> SitePage {
        let (table, told) = (sites[account], told(of: account))
        let counts = counts(told, of: account)
        let unsaid = told.unsaid.filter { counts[$0.key, default: 0] > 0 }
            .map { SiteTable.Place($0.value.name, $0.key) }
        let places = unsaid.isEmpty ? table.places : (table.places + unsaid).sorted()
        let start = min(places.count, Int(page - 1) * Int(size))
        let reports = places[start..<min(places.count, start + Int(size))].compactMap { place in
            report(on: place.id, table, told, counts).map { report in
                SiteReport(
                    site: Site(
                        id: place.id, version: report.site.version, profile: report.site.profile.brief),
                    devices: report.devices, isDescribed: report.isDescribed)
            }
        }
        return SitePage(sites: reports, total: UInt32(places.count), revision: revision(of: account))
    }

    func siteReport(_ reference: SiteReference, of account: AccountIndex) -> SiteReport? {
        let (table, told) = (sites[account], told(of: account))
        let id: SiteID? =
            switch reference {
            case .id(let id): id
            case .name(let name):
                table.site(named: name)
                    ?? told.unsaid.first { $0.value.name.lowercased() == name.lowercased() }?.key
            }
        return id.flatMap { report(on: $0, table, told, counts(told, of: account)) }
    }

    private func report(
        on id: SiteID, _ table: SiteTable, _ told: ToldSites, _ counts: [SiteID: Int]
    ) -> SiteReport? {
        let devices = UInt32(clamping: counts[id, default: 0])
        if let site = table.sites[id] {
            return SiteReport(site: site, devices: devices, isDescribed: !site.profile.description.isEmpty)
        }
        guard let profile = told.unsaid[id], devices > 0 else { return nil }
        let site = Site(id: id, version: .zero, profile: profile)
        return SiteReport(site: site, devices: devices, isDescribed: false)
    }

    /// Devices looked at for one answer at most, whoever's they are.
    private static let devicesPerAnswer = 16_384

    private func devices(at site: SiteID, of account: AccountIndex, from cursor: UInt32) -> SiteDevices {
        let (table, told) = (sites[account], told(of: account))
        var place = min(Int(cursor), directory.devices.count)
        let end = min(directory.devices.count, place + Self.devicesPerAnswer)
        var found: [SiteDevices.Device] = []
        while place < end, found.count < Limits.chunkRows {
            let device = directory.devices[place]
            place += 1
            guard device.account == account, !device.isRemoved, !device.isAwaited,
                (table.assigned(device.id) ?? told[device.group]) == site
            else { continue }
            found.append(SiteDevices.Device(id: device.id, name: device.name))
        }
        return SiteDevices(
            devices: found, nextCursor: UInt32(place), isLast: place == directory.devices.count)
    }

    private func assignments(_ after: DeviceID?, of account: AccountIndex) -> AssignmentChunk {
        let table = sites[account]
        var start = after.map(table.place) ?? 0
        if let after, table.assigned(after) != nil { start += 1 }
        let rest = table.assignments[start...]
        return AssignmentChunk(
            assignments: Array(rest.prefix(Limits.chunkAssignments)),
            isLast: rest.count <= Limits.chunkAssignments, revision: revision(of: account))
    }

    private func revision(of account: AccountIndex) -> SitesRevision {
        SitesRevision(epoch: epoch, changes: sites[account].changes)
    }
}
