import FleetClient
import FleetProtocol
import Wording

/// Has the last devices of a fleet leave it, from its end, as many at once as one order may name.
struct DeviceRetirement: Sendable {
    /// How often an order is given again of which a node said nothing.
    private static let tries = 5
    /// Orders between two words on how far it is.
    private static let ordersPerWord = 50

    /// Who gives the orders.
    let client: FleetClient
    /// The world.
    let surroundings: Surroundings

    /// Has devices leave until a fleet hosts no more than it is to have, and the controller has stored that.
    ///
    /// - Parameter known: How many devices the controller knows: after an interrupted scale they can be more
    ///   than the nodes host.
    /// - Throws: `CommandFailure` when a node did not let them go, and what the client throws.
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

    /// A node that died meanwhile is lost soon, and then its devices leave without it.
    private func retire(_ devices: [DeviceID]) async throws {
        for _ in 0..<Self.tries {
            let report = try await client.retire(devices)
            if report.refusingNodes > 0 {
                throw CommandFailure(
                    .refused, "a node does not let devices go: they are not its last",
                    advice: "`fleet down`, then `fleet up` starts the fleet anew")
            }
            if report.silentNodes == 0 { return }
        }
        throw CommandFailure(
            .undecided, "a node does not say that its devices have left",
            advice: "`fleet status` shows what runs; the same command goes on from there")
    }
}
