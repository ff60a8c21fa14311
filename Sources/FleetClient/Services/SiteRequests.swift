public import FleetProtocol

/// The sites of the account. After `noReply`, the same change may be sent again: a repeat changes nothing
/// more.
extension ServiceClient {
    /// Returns a page of the sites, by name, without their descriptions.
    ///
    /// Pages count from 1, and have 1 to `Limits.pageSites` sites.
    public func sites(
        page: Int = 1, size: Int = Limits.pageSites, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> SitePage {
        let request = SiteRequest.list(page: UInt32(clamping: page), size: UInt32(clamping: size))
        guard case .list(let list) = try await self.request(request, as: credentials, timeout: timeout)
        else { throw .unexpectedReply }
        return list
    }

    /// Returns a site.
    ///
    /// - Throws: Also `refused` with `notFound` for an unknown site.
    public func site(
        _ reference: SiteReference, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> SiteReport {
        try await siteReport(.site(reference), as: credentials, timeout: timeout)
    }

    /// Creates a site.
    ///
    /// - Returns: The site as stored.
    /// - Throws: Also `refused` with `notAllowed` for users who are not owners, and `invalid` for a name that
    ///   is taken.
    public func addSite(
        _ profile: SiteProfile, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> SiteReport {
        try await siteReport(.add(profile), as: credentials, timeout: timeout)
    }

    /// Changes a site's profile, unless the site has another version by now.
    ///
    /// `base` is the version that the change is based on.
    ///
    /// - Returns: The site as stored.
    /// - Throws: As for a new site; `invalid` also for another version.
    public func changeSite(
        _ id: SiteID, from base: SiteVersion, to profile: SiteProfile, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> SiteReport {
        try await siteReport(.change(id, from: base, to: profile), as: credentials, timeout: timeout)
    }

    /// Removes a site's profile.
    ///
    /// - Returns: The number of devices that had been assigned to it.
    /// - Throws: Also `refused` with `notAllowed`, and `notFound` for an unknown site.
    @discardableResult
    public func removeSite(
        _ id: SiteID, as credentials: Credentials? = nil, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> Int {
        let reply = try await request(SiteRequest.remove(id), as: credentials, timeout: timeout)
        guard case .removed(let devices) = reply else { throw .unexpectedReply }
        return Int(devices)
    }

    /// Assigns devices to a site, as many in each message as fit.
    ///
    /// Without a site they return to the sites that their nodes name.
    ///
    /// - Throws: Also `refused` with `notAllowed`, and `notFound` for an unknown site or device; then no
    ///   device of that message is assigned.
    public func assign(
        _ devices: [DeviceID], to site: SiteID?, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) {
        for start in stride(from: 0, to: devices.count, by: Limits.faultDevices) {
            let part = Array(devices[start..<min(start + Limits.faultDevices, devices.count)])
            let reply = try await request(
                SiteRequest.assign(part, to: site), as: credentials, timeout: timeout)
            guard case .assigned = reply else { throw .unexpectedReply }
        }
    }

    /// Returns the devices at a site, chunk by chunk.
    ///
    /// At most `count` are returned.
    ///
    /// - Throws: Also `refused` with `notFound` for an unknown site.
    public func devices(
        at site: SiteID, _ count: Int = .max, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> [SiteDevices.Device] {
        var (found, cursor, isLast) = ([SiteDevices.Device](), UInt32(0), false)
        while found.count < count, !isLast {
            let reply = try await request(
                SiteRequest.devices(site, cursor: cursor), as: credentials, timeout: timeout)
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
    public func assignments(
        after device: DeviceID? = nil, as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> AssignmentChunk {
        let reply = try await request(
            SiteRequest.assignments(after: device), as: credentials, timeout: timeout)
        guard case .assignments(let chunk) = reply, chunk.isLast || !chunk.assignments.isEmpty else {
            throw .unexpectedReply
        }
        return chunk
    }

    private func siteReport(
        _ request: SiteRequest, as credentials: Credentials?, timeout: Duration
    ) async throws(FleetError) -> SiteReport {
        guard case .site(let report) = try await self.request(request, as: credentials, timeout: timeout)
        else { throw .unexpectedReply }
        return report
    }
}
