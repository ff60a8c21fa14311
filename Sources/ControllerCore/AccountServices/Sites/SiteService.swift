import FleetProtocol

/// The sites of all accounts: every user of an account can read, and its owners can change.
struct SiteService: AccountService {
    private var sites = Sites()

    mutating func restore(_ record: ServiceRecord, of account: AccountIndex) throws(WireError) {
        try sites[account].restore(SiteRecord(record))
    }

    func hasData(of account: AccountIndex) -> Bool { sites.has(account) }

    mutating func deviceIsRemoved(
        _ device: DeviceID, from account: AccountIndex, id: AccountID, into changes: inout [StorageChange]
    ) {
        guard sites[account].assignments[device] != nil else { return }
        sites[account].assign([device], to: nil)
        changes.remove(SiteRecord.self, at: SiteRecord.key(of: device), of: id)
    }

    /// Handles a request; the changes in `output` must be stored before the reply leaves.
    mutating func handle(
        _ request: SiteRequest, in context: ServiceContext, into output: inout ServiceOutput
    ) -> ServiceResponse<SiteReply> {
        switch request {
        case .list(let page, let size): return .reply(.list(list(page, size, in: context)))
        case .site(let reference):
            guard let report = report(reference, in: context) else {
                return .refusal(context.refusalOfUnknown)
            }
            return .reply(.site(report))
        case .devices(let site, let cursor):
            guard report(.id(site), in: context) != nil else { return .refusal(context.refusalOfUnknown) }
            return .reply(.devices(devices(at: site, from: cursor, in: context)))
        case .assignments(let after): return .reply(.assignments(assignments(after, in: context)))
        case .add, .change, .remove, .assign:
            guard context.caller.session.role == .owner else {
                return .refusal(.notAllowed("only account owners can change sites; ask one of them"))
            }
            if let refusal = context.storageRefusal { return .refusal(refusal) }
            do throws(Refusal) {
                return .reply(try change(request, in: context, into: &output.changes))
            } catch {
                return .refusal(error)
            }
        }
    }

    // MARK: Reading

    private func reported(in context: ServiceContext) -> ReportedSites {
        let record = context.directory.accounts[Int(context.account)]
        return ReportedSites(record.groups.groups, sites[context.account], of: record.id)
    }

    private func counts(_ reported: ReportedSites, in context: ServiceContext) -> [SiteID: Int] {
        var counts: [SiteID: Int] = [:]
        let groups = context.directory.accounts[Int(context.account)].groups
        for (place, site) in reported.byGroup.enumerated() {
            if let site { counts[site, default: 0] += groups.devices(at: place) }
        }
        for (device, site) in sites[context.account].assignments.entries {
            guard let slot = context.directory.device(device, of: context.account),
                !context.directory.devices[slot].isAwaited
            else { continue }
            counts[site, default: 0] += 1
            if let site = reported[context.directory.devices[slot].group] { counts[site, default: 0] -= 1 }
        }
        return counts
    }

    private func list(_ page: UInt32, _ size: UInt32, in context: ServiceContext) -> SitePage {
        let (table, reported) = (sites[context.account], reported(in: context))
        let counts = counts(reported, in: context)
        let undescribed = reported.undescribed.filter { counts[$0.key, default: 0] > 0 }
            .map { SiteTable.Place($0.value.name, $0.key) }
        let places = undescribed.isEmpty ? table.places : (table.places + undescribed).sorted()
        let start = min(places.count, Int(page - 1) * Int(size))
        let reports = places[start..<min(places.count, start + Int(size))].compactMap { place in
            report(on: place.id, table, reported, counts).map { report in
                SiteReport(site: report.site.brief, devices: report.devices, isDescribed: report.isDescribed)
            }
        }
        return SitePage(sites: reports, total: UInt32(places.count), revision: revision(in: context))
    }

    private func report(_ reference: SiteReference, in context: ServiceContext) -> SiteReport? {
        let (table, reported) = (sites[context.account], reported(in: context))
        let id: SiteID? =
            switch reference {
            case .id(let id): id
            case .name(let name):
                table.site(named: name)
                    ?? reported.undescribed.first { $0.value.name.lowercased() == name.lowercased() }?.key
            }
        return id.flatMap { report(on: $0, table, reported, counts(reported, in: context)) }
    }

    private func report(
        on id: SiteID, _ table: SiteTable, _ reported: ReportedSites, _ counts: [SiteID: Int]
    ) -> SiteReport? {
        let devices = UInt32(clamping: counts[id, default: 0])
        if let site = table.sites[id] {
            return SiteReport(site: site, devices: devices, isDescribed: !site.profile.description.isEmpty)
        }
        guard let profile = reported.undescribed[id], devices > 0 else { return nil }
        let site = Site(id: id, version: .zero, profile: profile)
        return SiteReport(site: site, devices: devices, isDescribed: false)
    }

    /// The number of device slots scanned for one answer, over all accounts.
    private static let devicesPerReply = 16_384

    private func devices(at site: SiteID, from cursor: UInt32, in context: ServiceContext) -> SiteDevices {
        let (table, reported) = (sites[context.account], reported(in: context))
        var place = min(Int(cursor), context.directory.devices.count)
        let end = min(context.directory.devices.count, place + Self.devicesPerReply)
        var found: [SiteDevices.Device] = []
        while place < end, found.count < Limits.chunkRows {
            let device = context.directory.devices[place]
            place += 1
            guard device.account == context.account, !device.isRemoved, !device.isAwaited,
                (table.assignments[device.id] ?? reported[device.group]) == site
            else { continue }
            found.append(SiteDevices.Device(id: device.id, name: device.name))
        }
        return SiteDevices(
            devices: found, nextCursor: UInt32(place), isLast: place == context.directory.devices.count)
    }

    private func assignments(_ after: DeviceID?, in context: ServiceContext) -> AssignmentChunk {
        let rest = sites[context.account].assignments.entries(after: after)
        return AssignmentChunk(
            assignments: rest.prefix(Limits.chunkAssignments).map {
                SiteAssignment(device: $0.device, site: $0.value)
            },
            isLast: rest.count <= Limits.chunkAssignments, revision: revision(in: context))
    }

    private func revision(in context: ServiceContext) -> SitesRevision {
        SitesRevision(epoch: context.epoch, changes: sites[context.account].changes)
    }

    // MARK: Changing

    /// - Precondition: The request changes something, and the caller may change it.
    private mutating func change(
        _ request: SiteRequest, in context: ServiceContext, into changes: inout [StorageChange]
    ) throws(Refusal) -> SiteReply {
        switch request {
        case .add(let profile): return .site(try add(profile, in: context, into: &changes))
        case .change(let id, let base, let profile):
            return .site(try change(id, base, profile, in: context, into: &changes))
        case .remove(let id): return try remove(id, in: context, into: &changes)
        case .assign(let devices, let id): return try assign(devices, id, in: context, into: &changes)
        case .list, .site, .devices, .assignments: preconditionFailure("\(request) changes nothing")
        }
    }

    private mutating func add(
        _ profile: SiteProfile, in context: ServiceContext, into changes: inout [StorageChange]
    ) throws(Refusal) -> SiteReport {
        if let known = report(.name(profile.name), in: context) {
            // A repeat of an earlier request gets the same reply.
            guard known.site.version > .zero, known.site.profile == profile else {
                throw .invalid(
                    "a site named \"\(profile.name)\" exists; change it, or choose another name")
            }
            return known
        }
        if let reason = objection(to: profile, of: nil, in: context) { throw .invalid(reason) }
        return put(newID(profile.name, in: context), profile, after: .zero, in: context, into: &changes)
    }

    private mutating func change(
        _ id: SiteID, _ base: SiteVersion, _ profile: SiteProfile, in context: ServiceContext,
        into changes: inout [StorageChange]
    ) throws(Refusal) -> SiteReport {
        guard let known = report(.id(id), in: context) else { throw context.refusalOfUnknown }
        if known.site.version > base, known.site.profile == profile { return known }
        guard known.site.version == base else {
            throw .invalid("the site has changed; read it again")
        }
        if let other = report(.name(profile.name), in: context), other.site.id != id {
            throw .invalid(
                "a site named \"\(profile.name)\" already exists; choose another name")
        }
        if let reason = objection(to: profile, of: id, in: context) { throw .invalid(reason) }
        return put(id, profile, after: base, in: context, into: &changes)
    }

    private func objection(to profile: SiteProfile, of id: SiteID?, in context: ServiceContext) -> String? {
        sites.objection(to: profile, of: id, in: context.account, within: context.share(in: .sites))
    }

    private mutating func remove(
        _ id: SiteID, in context: ServiceContext, into changes: inout [StorageChange]
    ) throws(Refusal) -> SiteReply {
        guard sites[context.account].sites[id] != nil else {
            guard report(.id(id), in: context) != nil else { throw .notFound }
            throw .invalid(
                "the scenario names this site, so it stays; assign its devices to another site")
        }
        let devices = sites[context.account].remove(id)
        for key in [SiteRecord.key(of: id)] + devices.map(SiteRecord.key) {
            changes.remove(SiteRecord.self, at: key, of: context.accountID)
        }
        changes.store(SiteRecord.removed(upTo: sites[context.account].removed), of: context.accountID)
        return .removed(devices: UInt32(devices.count))
    }

    private mutating func assign(
        _ named: [DeviceID], _ id: SiteID?, in context: ServiceContext,
        into changes: inout [StorageChange]
    ) throws(Refusal) -> SiteReply {
        let known = id.flatMap { report(.id($0), in: context) }
        guard id == nil || known != nil else { throw context.refusalOfUnknown }
        let devices = Set(named)
        let table = sites[context.account]
        // The assignment of a device that has been removed can still be cleared.
        guard
            devices.allSatisfy({ device in
                context.directory.owner(of: device) == context.account
                    || id == nil && table.assignments[device] != nil
            })
        else { throw context.refusalOfUnknown }
        let share = context.share(in: .assignments)
        if id != nil, let reason = sites.objection(toAssigning: devices, in: context.account, within: share) {
            throw .invalid(reason)
        }
        // A site known only from nodes is stored before devices are assigned to it: its nodes may never
        // return.
        if let site = known?.site, site.version == .zero {
            if let reason = objection(to: site.profile, of: site.id, in: context) {
                throw .invalid(reason)
            }
            _ = put(site.id, site.profile, after: .zero, in: context, into: &changes)
        }
        let changed = devices.filter { table.assignments[$0] != id }
        if !changed.isEmpty { sites[context.account].assign(changed, to: id) }
        for device in changed.sorted() {
            if let id {
                changes.store(SiteRecord.device(device, at: id), of: context.accountID)
            } else {
                changes.remove(SiteRecord.self, at: SiteRecord.key(of: device), of: context.accountID)
            }
        }
        return .assigned(devices: UInt32(devices.count))
    }

    private mutating func put(
        _ id: SiteID, _ profile: SiteProfile, after base: SiteVersion, in context: ServiceContext,
        into changes: inout [StorageChange]
    ) -> SiteReport {
        let version = base == .zero ? sites[context.account].firstVersion : base.next
        let site = Site(id: id, version: version, profile: profile)
        sites[context.account].put(site)
        changes.store(SiteRecord.site(site), of: context.accountID)
        return report(.id(site.id), in: context)
            ?? SiteReport(site: site, devices: 0, isDescribed: !site.profile.description.isEmpty)
    }

    /// Returns the first ID derived from the name that is not in use.
    private func newID(_ name: String, in context: ServiceContext) -> SiteID {
        let table = sites[context.account]
        for attempt in UInt64(0)... {
            let candidate = SiteID(of: name, in: context.accountID, attempt: attempt)
            if table.sites[candidate] == nil { return candidate }
        }
        preconditionFailure("no free site ID")
    }
}
