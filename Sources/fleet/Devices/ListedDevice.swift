import FleetClient
import FleetProtocol
import Stepping
import Wording

/// One device as the commands list and find it.
struct ListedDevice: Equatable, Sendable, SelectableDevice {
    /// Its name for machines.
    let id: DeviceID
    /// Its name for people.
    let name: String
    /// What it said last.
    let reported: DeviceState
    /// Whether it is there.
    let presence: Presence
    /// When the controller heard of its state.
    let asOf: WallTime
    /// What it has in common with others; nil where nobody said.
    let group: DeviceGroup?
    /// What its pod measured last; nil when that was not heard of.
    let measured: SnapshotChunk.Measured?
    /// What last changed its state.
    let cause: ChangeCause
    /// What it is set to do by itself; nil for nothing.
    let settings: DeviceSettings?

    /// The device of those values.
    init(
        id: DeviceID, name: String, reported: DeviceState, presence: Presence, asOf: WallTime,
        group: DeviceGroup? = nil, measured: SnapshotChunk.Measured? = nil, cause: ChangeCause = .request,
        settings: DeviceSettings? = nil
    ) {
        self.id = id
        self.name = name
        self.reported = reported
        self.presence = presence
        self.asOf = asOf
        self.group = group
        self.measured = measured
        self.cause = cause
        self.settings = settings
    }

    /// Its line in `fleet devices --json`.
    var json: JSONValue {
        ListedDeviceJSON(
            id: id, name: name, reported: reported, presence: presence, asOf: asOf, group: group,
            measured: measured, cause: cause, settings: settings
        ).value
    }

    /// The name of its site; nil if unknown.
    var siteName: String? { group.flatMap { $0.site.isEmpty ? nil : $0.site } }

    /// What it is called in lines for people.
    var label: String { SafeText.label(name, of: id) }

    /// Its name and id for people, where one must be told from others.
    var longLabel: String { "\(label) (\(id))" }

    /// The devices as a table, in the order given.
    static func table(of devices: [ListedDevice]) -> TextTable {
        var table = TextTable([
            ("ID", .left), ("NAME", .left), ("STATE", .left), ("MODE", .left), ("TARGET", .right),
            ("ROOM", .right), ("PRESENCE", .left), ("VERSION", .right), ("AS OF", .left),
        ])
        for device in devices {
            let state = device.reported.state
            table.add([
                device.id.description, device.label, state.power, state.mode.name,
                state.target, device.measured?.measurements.celsiusWords ?? "",
                device.presence.kind.shortWords,
                device.reported.version.description,
                TimeText.iso8601(device.asOf),
            ])
        }
        return table
    }
}

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
