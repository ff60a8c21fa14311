import FleetProtocol
import Stepping

/// What owners change of their sites: each change is kept before its answer leaves, and a repeat of one gets
/// the same answer.
extension Controller {
    /// Why a change was not made.
    struct SiteRefusal: Error {
        let refusal: Refusal

        init(_ refusal: Refusal) {
            self.refusal = refusal
        }
    }

    /// - Precondition: The request changes something, and whoever asks may.
    mutating func changeSites(
        _ request: SiteRequest, of account: AccountIndex, at now: MonotonicTime, into effects: inout Effects
    ) -> Result<SiteReply, SiteRefusal> {
        do throws(SiteRefusal) {
            switch request {
            case .add(let profile):
                return .success(.site(try add(profile, to: account, into: &effects)))
            case .change(let id, let base, let profile):
                return .success(.site(try change(id, base, profile, of: account, at: now, into: &effects)))
            case .remove(let id): return .success(try remove(id, of: account, into: &effects))
            case .assign(let devices, let id):
                return .success(try assign(devices, id, of: account, at: now, into: &effects))
            case .list, .site, .devices, .assignments: preconditionFailure("\(request) changes nothing")
            }
        } catch {
            return .failure(error)
        }
    }

    private mutating func add(
        _ profile: SiteProfile, to account: AccountIndex, into effects: inout Effects
    ) throws(SiteRefusal) -> SiteReport {
        if let known = siteReport(.name(profile.name), of: account) {
            // A repeat of what was made is answered as the first was.
            guard known.site.version > .zero, known.site.profile == profile else {
                throw SiteRefusal(
                    .invalid("there is a site of that name already: change it, or name another"))
            }
            return known
        }
        if let reason = objection(to: profile, of: nil, in: account) {
            throw SiteRefusal(.invalid(reason))
        }
        return say(newID(profile.name, in: account), profile, after: .zero, of: account, into: &effects)
    }

    private mutating func change(
        _ id: SiteID, _ base: SiteVersion, _ profile: SiteProfile, of account: AccountIndex,
        at now: MonotonicTime, into effects: inout Effects
    ) throws(SiteRefusal) -> SiteReport {
        guard let known = siteReport(.id(id), of: account) else {
            throw SiteRefusal(noSuchSite(of: account, at: now))
        }
        if known.site.version > base, known.site.profile == profile { return known }
        guard known.site.version == base else {
            throw SiteRefusal(.invalid("the site was changed meanwhile: look at it again"))
        }
        if let other = siteReport(.name(profile.name), of: account), other.site.id != id {
            throw SiteRefusal(.invalid("there is a site of that name already: name another"))
        }
        if let reason = objection(to: profile, of: id, in: account) {
            throw SiteRefusal(.invalid(reason))
        }
        return say(id, profile, after: base, of: account, into: &effects)
    }

    private func objection(to profile: SiteProfile, of id: SiteID?, in account: AccountIndex) -> String? {
        sites.objection(to: profile, of: id, in: account, within: share(of: account, in: .sites))
    }

    private mutating func remove(
        _ id: SiteID, of account: AccountIndex, into effects: inout Effects
    ) throws(SiteRefusal) -> SiteReply {
        guard let known = sites[account].sites[id] else {
            guard siteReport(.id(id), of: account) != nil else { throw SiteRefusal(.notFound) }
            throw SiteRefusal(
                .invalid("nodes say that devices stand there, and nobody said more; assign them elsewhere"))
        }
        let devices = sites.change(account) { $0.forget(id) }
        effects.store(.site(.forgotten(directory.accounts[Int(account)].id, id, known.version)))
        return .removed(devices: UInt32(devices))
    }

    private mutating func assign(
        _ named: [DeviceID], _ id: SiteID?, of account: AccountIndex, at now: MonotonicTime,
        into effects: inout Effects
    ) throws(SiteRefusal) -> SiteReply {
        let known = id.flatMap { siteReport(.id($0), of: account) }
        guard id == nil || known != nil else { throw SiteRefusal(noSuchSite(of: account, at: now)) }
        let devices = Set(named)
        let table = sites[account]
        // A device that is gone may have been assigned before: that can be taken back.
        guard
            devices.allSatisfy({ device in
                directory.owner(of: device) == account || id == nil && table.assigned(device) != nil
            })
        else { throw SiteRefusal(noSuchSite(of: account, at: now)) }
        let share = share(of: account, in: .assignments)
        if id != nil, let reason = sites.objection(toAssigning: devices, in: account, within: share) {
            throw SiteRefusal(.invalid(reason))
        }
        // What is assigned to has to be kept, also where its nodes never come back.
        if let site = known?.site, site.version == .zero {
            if let reason = objection(to: site.profile, of: site.id, in: account) {
                throw SiteRefusal(.invalid(reason))
            }
            _ = say(site.id, site.profile, after: .zero, of: account, into: &effects)
        }
        if devices.contains(where: { table.assigned($0) != id }) {
            sites.change(account) { $0.assign(devices, to: id) }
            effects.store(.site(.assigned(directory.accounts[Int(account)].id, devices.sorted(), id)))
        }
        return .assigned(devices: UInt32(devices.count))
    }

    private mutating func say(
        _ id: SiteID, _ profile: SiteProfile, after base: SiteVersion, of account: AccountIndex,
        into effects: inout Effects
    ) -> SiteReport {
        let version = base == .zero ? sites[account].firstVersion : base.next
        let site = Site(id: id, version: version, profile: profile)
        sites.change(account) { $0.say(site) }
        effects.store(.site(.said(directory.accounts[Int(account)].id, site)))
        return siteReport(.id(site.id), of: account)
            ?? SiteReport(site: site, devices: 0, isDescribed: !site.profile.description.isEmpty)
    }

    /// The first id for that name which no other site has.
    private func newID(_ name: String, in account: AccountIndex) -> SiteID {
        let id = directory.accounts[Int(account)].id
        let table = sites[account]
        for attempt in UInt64(0)... {
            let candidate = SiteID(of: name, in: id, attempt: attempt)
            if table.sites[candidate] == nil { return candidate }
        }
        preconditionFailure("there are more ids than sites")
    }
}
