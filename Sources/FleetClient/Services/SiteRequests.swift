public import FleetProtocol

/// The sites of the account. After `noReply`, the same change may be sent again: a repeat changes nothing
/// more.
extension ServiceClient {
    /// Returns a page of the sites, by name, without their descriptions.
    ///
    /// Pages count from 1, and have 1 to `Limits.pageSites` sites.
    public func sites(page: Int = 1, size: Int = Limits.pageSites) async throws(FleetError) -> SitePage {
        let request = SiteRequest.list(page: UInt32(clamping: page), size: UInt32(clamping: size))
        guard case .list(let list) = try await self.request(request) else {
            throw .unexpectedReply
        }
        return list
    }

    /// Returns a site.
    ///
    /// - Throws: Also `refused` with `notFound` for an unknown site.
    public func site(_ reference: SiteReference) async throws(FleetError) -> SiteReport {
        try await siteReport(.site(reference))
    }

    /// Creates a site.
    ///
    /// - Returns: The site as stored.
    /// - Throws: Also `refused` with `notAllowed` for users who are not owners, and `invalid` for a name that
    ///   is taken.
    public func addSite(_ profile: SiteProfile) async throws(FleetError) -> SiteReport {
        try await siteReport(.add(profile))
    }

    /// Changes a site's profile, unless the site has another version by now.
    ///
    /// `base` is the version that the change is based on.
    ///
    /// - Returns: The site as stored.
    /// - Throws: As for a new site; `invalid` also for another version.
    public func changeSite(
        _ id: SiteID, from base: SiteVersion, to profile: SiteProfile
    ) async throws(FleetError) -> SiteReport {
        try await siteReport(.change(id, from: base, to: profile))
    }

    /// Removes a site's profile.
    ///
    /// - Returns: The number of devices that had been assigned to it.
    /// - Throws: Also `refused` with `notAllowed`, and `notFound` for an unknown site.
    @discardableResult
    public func removeSite(_ id: SiteID) async throws(FleetError) -> Int {
        let reply = try await request(SiteRequest.remove(id))
        guard case .removed(let devices) = reply else { throw .unexpectedReply }
        return Int(devices)
    }

    /// Assigns devices to a site, as many in each message as fit.
    ///
    /// Without a site they return to the sites that their nodes name.
    ///
    /// - Throws: Also `refused` with `notAllowed`, and `notFound` for an unknown site or device; then no
    ///   device of that message is assigned.
    public func assign(_ devices: [DeviceID], to site: SiteID?) async throws(FleetError) {
        for part in devices.orders {
            let reply = try await request(SiteRequest.assign(part, to: site))
            guard case .assigned = reply else { throw .unexpectedReply }
        }
    }

    /// Returns the devices at a site, chunk by chunk.
    ///
    /// At most `count` are returned.
    ///
    /// - Throws: Also `refused` with `notFound` for an unknown site.
    public func devices(at site: SiteID, _ count: Int = .max) async throws(FleetError) -> [SiteDevices.Device]
    {
        var (found, cursor, isLast) = ([SiteDevices.Device](), UInt32(0), false)
        while found.count < count, !isLast {
            let reply = try await request(SiteRequest.devices(site, cursor: cursor))
            // A cursor counts devices of all sites.
            guard case .devices(let some) = reply, some.isLast || some.nextCursor > cursor,
                found.count + some.devices.count <= DeviceIndex.slotsAtMost
            else { throw .unexpectedReply }
            found += some.devices
            (cursor, isLast) = (some.nextCursor, some.isLast)
        }
        return Array(found.prefix(count))
    }

    /// Returns devices that users have assigned to sites, by ID, as many as fit in one message.
    ///
    /// They are those after a device, if one is named.
    public func assignments(after device: DeviceID? = nil) async throws(FleetError) -> AssignmentChunk {
        let reply = try await request(SiteRequest.assignments(after: device))
        guard case .assignments(let chunk) = reply, chunk.isLast || !chunk.assignments.isEmpty else {
            throw .unexpectedReply
        }
        return chunk
    }

    /// Returns the devices that have labels, by ID, chunk by chunk.
    public func labelledDevices() async throws(FleetError) -> [LabelledDevice] {
        try await collect(atMost: Limits.accountLabelledDevices) {
            (found: [LabelledDevice]) throws(FleetError) in
            let next = LabelRequest.list(after: found.last?.device)
            guard case .list(let devices, let isLast) = try await request(next) else { return nil }
            return (devices, isLast)
        }
    }

    /// Replaces the labels of devices, as many devices at a time as one message holds.
    ///
    /// After `noReply`, the same change may be sent again: a repeat changes nothing more.
    ///
    /// There are at most `Limits.deviceLabels` labels; none remove those of the devices.
    ///
    /// - Returns: The labels as stored: in alphabetical order, each once.
    /// - Throws: Also `refused` with `notAllowed` for viewers, `notFound` for an unknown device,
    ///   and `invalid` for too many labelled devices; then no device of that message is changed.
    @discardableResult
    public func setLabels(_ labels: [Label], of devices: [DeviceID]) async throws(FleetError) -> [Label] {
        var stored = labels
        for part in devices.orders {
            let reply = try await request(LabelRequest.set(LabelAssignment(devices: part, labels: labels)))
            guard case .set(let assignment) = reply else { throw .unexpectedReply }
            stored = assignment.labels
        }
        return stored
    }

    private func siteReport(_ request: SiteRequest) async throws(FleetError) -> SiteReport {
        guard case .site(let report) = try await self.request(request) else {
            throw .unexpectedReply
        }
        return report
    }
}
