import FleetProtocol
import FleetReplica
import FleetTime
import ObserverCore
import Testing
import UserText

/// Values that tests are made of, named so that a test reads as what it says.
enum Fixture {
    static let start = Moment(
        monotonic: MonotonicTime(nanoseconds: 1_000_000_000_000),
        wall: WallTime(unixMilliseconds: 1_769_860_801_234))
    static let incarnation = Incarnation(bits: 0xabcd)

    static func device(_ number: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(number)) }

    static func state(
        on isOn: Bool = false, version: UInt64 = 1, mode: ACMode = .cool, target: Int8 = 22,
        fan: FanLevel = .auto, incarnation: Incarnation = incarnation
    ) -> DeviceState {
        DeviceState(
            state: ACState(isOn: isOn, mode: mode, targetTemperature: target, fanLevel: fan),
            version: Version(version), incarnation: incarnation)
    }

    static func row(
        _ number: Int, name: String? = nil, node: UInt64 = 1, group: UInt16 = 0,
        state: DeviceState = state(), isConnected: Bool = true,
        measured: SnapshotChunk.Measured? = nil
    ) -> SnapshotChunk.Row {
        SnapshotChunk.Row(
            device: device(number), name: name ?? "Bedroom \(number)", node: NodeIndex(node),
            group: GroupNumber(group), reported: state, isConnected: isConnected, connectedSince: start.wall,
            asOf: start.wall, measured: measured)
    }

    static func node(
        _ index: UInt64 = 1, _ name: String = "node-1", _ kind: Presence.Kind = .online
    ) throws -> SnapshotChunk.Node {
        SnapshotChunk.Node(
            index: NodeIndex(index), name: try #require(NodeName(name)),
            presence: Presence(kind, since: start.wall))
    }

    static func chunk(
        _ epoch: UInt64 = 7, _ sequence: UInt64, rows: [SnapshotChunk.Row],
        nodes: [SnapshotChunk.Node]? = nil, groups: [SnapshotChunk.Group] = [], next: UInt32? = nil
    ) throws -> SnapshotChunk {
        SnapshotChunk(
            epoch: Epoch(epoch), sequence: StreamSequence(sequence), nextCursor: next ?? 0,
            isLast: next == nil, nodes: try nodes ?? [node()], groups: groups, rows: rows)
    }

    static func update(
        _ epoch: UInt64 = 7, _ sequence: UInt64, _ body: StreamUpdate.Body
    ) -> StreamUpdate {
        StreamUpdate(
            epoch: Epoch(epoch), sequence: StreamSequence(sequence), at: start.wall, body: body)
    }

    static func report(
        _ outcome: Outcome, of command: CommandKind? = nil, device: DeviceID? = device(7),
        versionBefore: UInt64 = 8, totalUs: UInt64 = 210
    ) throws -> OutcomeReport {
        OutcomeReport(
            requestID: try #require(RequestID("0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07")), device: device,
            outcome: outcome, actor: try #require(Email("demo@sensibus.local")),
            versionBefore: Version(versionBefore), attempts: 1, command: command,
            timing: OutcomeReport.Timing(totalUs: totalUs))
    }

    /// A view of the account `demo`, for a member of it.
    static func view(filter: DeviceFilter = .all, role: Session.Role? = .member) throws -> ViewModel {
        var view = ViewModel(account: "demo", filter: filter, random: SeededGenerator(seed: 1))
        if let role { view.become(.signedIn(try #require(Email("demo@sensibus.local")), role)) }
        return view
    }

    /// What a view makes of a key that means that.
    @discardableResult
    static func press(_ intent: ViewIntent, _ view: inout ViewModel, _ driver: ReplicaDriver) -> ViewEffect? {
        view.perform(intent, on: driver.replica, at: driver.now)
    }

    static func measured(_ number: Int, deciCelsius: Int16) throws -> MeasuredDevice {
        let measurements = try #require(
            Measurements(
                deciCelsius: deciCelsius, feelsLikeDeciCelsius: deciCelsius, humidityPermille: 450,
                rssiDBm: -50))
        return MeasuredDevice(device: device(number), measurements: measurements)
    }
}
