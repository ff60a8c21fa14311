public import FleetProtocol

/// Faults, scenarios, and the retirement of devices; for operators.
///
/// The changes are sent once: after `noReply`, the change may have been made.
extension FleetClient {
    /// Injects a fault into devices.
    ///
    /// - Parameters:
    ///   - fault: The fault.
    ///   - devices: The devices, at most `Limits.faultDevices`.
    ///   - duration: The fault's duration, for faults that have one; at most `Limits.longestFault`.
    ///   - delay: The delay of slow devices; at most `Limits.longestDelay`.
    ///   - timeout: The timeout.
    /// - Returns: The number of devices that can be reached and will get it.
    public func inject(
        _ fault: Fault, into devices: [DeviceID], for duration: Duration, delay: Duration = .zero,
        timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> Int {
        let body = ClientRequest.Body.inject(fault, devices: devices, duration: duration, delay: delay)
        guard case .injected(let count) = try await ask(body, timeout: timeout) else {
            throw .unexpectedReply
        }
        return Int(count)
    }

    /// Returns the active faults of the account's devices; for operators.
    public func faults(timeout: Duration = Limits.defaultTimeout) async throws(FleetError) -> FaultList {
        guard case .faults(let list) = try await ask(.faults, timeout: timeout) else {
            throw .unexpectedReply
        }
        return list
    }

    /// Ends the faults of devices.
    ///
    /// - Parameters:
    ///   - devices: The devices, at most `Limits.faultDevices`; empty for all devices that can be reached.
    ///   - timeout: The timeout.
    /// - Returns: The number of healed devices, and the nodes that answered.
    public func heal(
        _ devices: [DeviceID], timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.heal(devices), timeout: timeout) else {
            throw .unexpectedReply
        }
        return report
    }

    /// Changes the scenario of every node that can be reached.
    ///
    /// - Parameters:
    ///   - scenario: A name, or the absolute path of a file that nodes can read.
    ///   - timeout: The timeout.
    /// - Returns: The nodes that changed it.
    public func changeScenario(
        to scenario: String, timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.scenario(scenario), timeout: timeout) else {
            throw .unexpectedReply
        }
        return report
    }

    /// Retires devices: they leave the fleet for good.
    ///
    /// - Parameters:
    ///   - devices: The devices, at most `Limits.faultDevices`, each among the last of its node. An empty
    ///     array asks whether the user may retire devices, and is answered when earlier retirements are
    ///     stored.
    ///   - timeout: The timeout.
    /// - Returns: The number of retired devices, and the nodes that answered.
    public func retire(
        _ devices: [DeviceID], timeout: Duration = Limits.defaultTimeout
    ) async throws(FleetError) -> OrderReport {
        guard case .carriedOut(let report) = try await ask(.retire(devices), timeout: timeout) else {
            throw .unexpectedReply
        }
        return report
    }
}
