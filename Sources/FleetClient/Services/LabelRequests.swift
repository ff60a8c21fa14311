public import FleetProtocol

extension ServiceClient {
    /// Returns the devices that have labels, by ID, chunk by chunk.
    public func labelledDevices(
        as credentials: Credentials? = nil, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> [LabelledDevice] {
        try await collect(atMost: Limits.accountLabelledDevices) {
            (found: [LabelledDevice]) throws(FleetError) in
            let request = LabelRequest.list(after: found.last?.device)
            let reply = try await self.request(request, as: credentials, timeout: timeout)
            guard case .list(let devices, let isLast) = reply else { return nil }
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
    public func setLabels(
        _ labels: [Label], of devices: [DeviceID], as credentials: Credentials? = nil,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> [Label] {
        var stored = labels
        for start in stride(from: 0, to: devices.count, by: Limits.faultDevices) {
            let part = Array(devices[start..<min(start + Limits.faultDevices, devices.count)])
            let request = LabelRequest.set(LabelAssignment(devices: part, labels: labels))
            let reply = try await self.request(request, as: credentials, timeout: timeout)
            guard case .set(let assignment) = reply else { throw .unexpectedReply }
            stored = assignment.labels
        }
        return stored
    }
}
