public import FleetProtocol

extension ServiceClient {
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
        for start in stride(from: 0, to: devices.count, by: Limits.faultDevices) {
            let part = Array(devices[start..<min(start + Limits.faultDevices, devices.count)])
            let reply = try await request(LabelRequest.set(LabelAssignment(devices: part, labels: labels)))
            guard case .set(let assignment) = reply else { throw .unexpectedReply }
            stored = assignment.labels
        }
        return stored
    }
}
