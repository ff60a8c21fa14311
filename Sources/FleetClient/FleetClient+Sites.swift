public import FleetProtocol

/// The sites of the account that the credentials are of.
///
/// What changes a site may be sent again as it is where nobody answered: a repeat changes nothing more.
extension FleetClient {
    /// A page of the sites, by name, without their descriptions.
    ///
    /// - Parameters:
    ///   - page: Which one, from 1.
    ///   - size: How many there are on a page, 1 to ``Limits/pageSites``.
    public func sites(
        page: Int = 1, size: Int = Limits.pageSites, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SitePage {
        let request = SiteRequest.list(page: UInt32(clamping: page), size: UInt32(clamping: size))
        guard case .list(let list) = try await ask(request, as: credentials, patience: patience) else {
            throw .unexpectedReply
        }
        return list
    }

    /// One site.
    ///
    /// - Throws: Also `refused` with `notFound` where the account has none like that.
    public func site(
        _ reference: SiteReference, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SiteReport {
        try await siteReport(.site(reference), as: credentials, patience: patience)
    }

    /// Makes a site.
    ///
    /// - Returns: It, as it is kept.
    /// - Throws: Also `refused` with `notAllowed` for who is no owner, and `invalid` where the name is taken.
    public func addSite(
        _ profile: SiteProfile, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SiteReport {
        try await siteReport(.add(profile), as: credentials, patience: patience)
    }

    /// Says what a site is from now on, if nobody else has said anything meanwhile.
    ///
    /// - Parameter base: The version of it that was looked at.
    /// - Returns: It, as it is kept.
    /// - Throws: As for a new one; `invalid` also where it is at another version.
    public func changeSite(
        _ id: SiteID, from base: SiteVersion, to profile: SiteProfile, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> SiteReport {
        try await siteReport(.change(id, from: base, to: profile), as: credentials, patience: patience)
    }

    /// Forgets what was said of a site.
    ///
    /// - Returns: How many devices had been assigned to it.
    /// - Throws: Also `refused` with `notAllowed`, and `notFound` where it is gone.
    @discardableResult
    public func removeSite(
        _ id: SiteID, as credentials: Credentials? = nil, patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> Int {
        let reply = try await ask(.remove(id), as: credentials, patience: patience)
        guard case .removed(let devices) = reply else { throw .unexpectedReply }
        return Int(devices)
    }

    /// Has devices stand at a site, as many at a time as one message holds.
    ///
    /// - Parameter site: nil: where their nodes say.
    /// - Throws: Also `refused` with `notAllowed`, and `notFound` for a site or a device that the account has
    ///   not; of the devices in that message none is assigned then.
    public func assign(
        _ devices: [DeviceID], to site: SiteID?, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) {
        for start in stride(from: 0, to: devices.count, by: Limits.faultDevices) {
            let part = Array(devices[start..<min(start + Limits.faultDevices, devices.count)])
            let reply = try await ask(.assign(part, to: site), as: credentials, patience: patience)
            guard case .assigned = reply else { throw .unexpectedReply }
        }
    }

    /// The devices that stand at a site, chunk by chunk, each with its own time to wait.
    ///
    /// - Parameter count: How many at most.
    /// - Throws: Also `refused` with `notFound` where the account has no such site.
    public func devices(
        at site: SiteID, _ count: Int = .max, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> [SiteDevices.Device] {
        var (found, cursor, isLast) = ([SiteDevices.Device](), UInt32(0), false)
        while found.count < count, !isLast {
            let reply = try await ask(.devices(site, cursor: cursor), as: credentials, patience: patience)
            guard case .devices(let some) = reply, some.isLast || some.nextCursor > cursor else {
                throw .unexpectedReply
            }
            found += some.devices
            (cursor, isLast) = (some.nextCursor, some.isLast)
        }
        return Array(found.prefix(count))
    }

    /// Some of the devices that somebody has assigned, by their ids.
    public func assignments(
        after device: DeviceID? = nil, as credentials: Credentials? = nil,
        patience: Duration = Limits.defaultPatience
    ) async throws(FleetError) -> AssignmentChunk {
        let reply = try await ask(.assignments(after: device), as: credentials, patience: patience)
        guard case .assignments(let chunk) = reply, chunk.isLast || !chunk.assignments.isEmpty else {
            throw .unexpectedReply
        }
        return chunk
    }

    private func siteReport(
        _ request: SiteRequest, as credentials: Credentials?, patience: Duration
    ) async throws(FleetError) -> SiteReport {
        guard case .site(let report) = try await ask(request, as: credentials, patience: patience) else {
            throw .unexpectedReply
        }
        return report
    }

    private func ask(
        _ request: SiteRequest, as credentials: Credentials?, patience: Duration
    ) async throws(FleetError) -> SiteReply {
        let asker = if let credentials { credentials } else { try requireCredentials() }
        let reply = try await ask(.sites(request), as: asker, patience: patience)
        guard case .sites(let answer) = reply else { throw .unexpectedReply }
        return answer
    }
}
