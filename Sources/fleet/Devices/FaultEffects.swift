import FleetClient
import FleetProtocol
import UserText

extension Fault {
    /// Whether the list of devices shows the fault on a device that was online; true if it never does.
    func isShown(by device: ListedDevice, since former: ListedDevice) -> Bool {
        switch self {
        case .flip: device.reported != former.reported
        case .reset: device.reported.incarnation != former.reported.incarnation
        case .offline, .reboot: device.presence.kind != .online
        // The fleet may start the node again before the controller misses it.
        case .crash: device.presence.kind != .online || device.asOf != former.asOf
        case .hang, .slow: true
        }
    }
}

extension ControllerAccess {
    /// The longest wait for the effect of a fault: a later change of the device may hide it, and the devices
    /// of a node that was killed are online until the controller misses its heartbeats.
    private static let effectTimeout: Duration = .seconds(3)
    private static let effectInterval: Duration = .milliseconds(5)

    /// Waits until the controller shows an effect on devices, so that the next command sees it: a node
    /// confirms an order before its changes arrive, which take another way.
    func awaitEffect(
        on devices: some Sequence<DeviceID>, with client: FleetClient, _ isShown: (ListedDevice) -> Bool
    ) async throws {
        var missing = Set(devices)
        let deadline = surroundings.now().monotonic.advanced(by: Self.effectTimeout)
        while !missing.isEmpty, surroundings.now().monotonic < deadline {
            let rows = DeviceDirectory(try await client.devices()).devices
            for row in rows where isShown(row) { missing.remove(row.id) }
            missing.formIntersection(rows.map(\.id))
            if !missing.isEmpty { try await surroundings.pause(Self.effectInterval) }
        }
    }
}
