import FleetClient
import FleetProtocol
import UserText

extension ListedDevice {
    /// The display name, safe to print on a terminal.
    var label: String { SafeText.label(name, of: id) }

    /// The display name and the ID, for lists in which names may be equal.
    var longLabel: String { "\(label) (\(id))" }
}

/// Retires the last devices of a fleet, highest index first, in orders of ``Limits/faultDevices``.
struct DeviceRetirement: Sendable {
    /// The number of attempts to send an order while a node does not answer it.
    private static let tries = 5
    /// The number of orders between two progress messages.
    private static let ordersPerWord = 50

    let client: FleetClient
    let surroundings: Surroundings

    /// Retires devices until the fleet hosts no more than its new size, and the controller has stored that.
    /// After an interrupted scale, the controller can know more devices than the nodes host.
    func run(_ size: FleetSize, known: UInt32) async throws {
        let end = max(size.hosted, known, size.devices)
        let indices = Array(UInt64(size.devices)..<UInt64(end)).reversed()
        let devices = indices.map { DeviceID(fleetSeed: size.seed, index: $0) }
        let orders = devices.orders
        defer { if orders.count > Self.ordersPerWord { surroundings.showProgress(nil) } }
        var left = 0
        for (place, order) in orders.enumerated() {
            try await retire(order)
            left += order.count
            guard place % Self.ordersPerWord == Self.ordersPerWord - 1 else { continue }
            surroundings.showProgress("\(left) of \(devices.count) devices have left")
        }
        if !devices.isEmpty { _ = try await client.retire([]) }
    }

    /// Sends an order up to ``tries`` times, until every node has answered; once a node is unreachable, the
    /// controller removes its devices without an answer.
    private func retire(_ devices: [DeviceID]) async throws {
        for _ in 0..<Self.tries {
            let report = try await client.retire(devices)
            if report.refusingNodes > 0 {
                throw CommandFailure(
                    .refused, "a node refuses to retire devices: they are not its last",
                    advice: "restart the fleet with `fleet down` and `fleet up`")
            }
            if report.silentNodes == 0 { return }
        }
        throw CommandFailure(
            .undecided, "a node did not confirm that its devices have left",
            advice: "check `fleet status`; repeat the command to continue")
    }
}
