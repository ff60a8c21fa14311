package import FleetProtocol
import Testing

/// Values for tests of replicas and of their users.
package enum Fixture {
    package static let start = Moment(
        monotonic: MonotonicTime(nanoseconds: 1_000_000_000_000),
        wall: WallTime(unixMilliseconds: 1_769_860_801_234))
    package static let incarnation = Incarnation(bits: 0xabcd)

    package static func device(_ number: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(number)) }

    package static func state(
        on isOn: Bool = false, version: UInt64 = 1, mode: ACMode = .cool, target: Int8 = 22,
        fan: FanLevel = .auto, incarnation: Incarnation = incarnation
    ) -> DeviceState {
        DeviceState(
            state: ACState(isOn: isOn, mode: mode, targetTemperature: target, fanLevel: fan),
            version: Version(version), incarnation: incarnation)
    }

    package static func row(
        _ number: Int, name: String? = nil, node: UInt64 = 1, group: UInt16 = 0,
        state: DeviceState = state(), isConnected: Bool = true,
        measured: SnapshotChunk.Measured? = nil
    ) -> SnapshotChunk.Row {
        SnapshotChunk.Row(
            device: device(number), name: name ?? "Bedroom \(number)", node: NodeIndex(node),
            group: GroupNumber(group), reported: state, isConnected: isConnected, connectedSince: start.wall,
            asOf: start.wall, measured: measured)
    }

    package static func node(
        _ index: UInt64 = 1, _ name: String = "node-1", _ kind: Presence.Kind = .online
    ) throws -> SnapshotChunk.Node {
        SnapshotChunk.Node(
            index: NodeIndex(index), name: try #require(NodeName(name)),
            presence: Presence(kind, since: start.wall))
    }

    package static func chunk(
        _ epoch: UInt64 = 7, _ sequence: UInt64, rows: [SnapshotChunk.Row],
        nodes: [SnapshotChunk.Node]? = nil, groups: [SnapshotChunk.Group] = [], next: UInt32? = nil
    ) throws -> SnapshotChunk {
        SnapshotChunk(
            epoch: Epoch(epoch), sequence: StreamSequence(sequence), nextCursor: next ?? 0,
            isLast: next == nil, nodes: try nodes ?? [node()], groups: groups, rows: rows)
    }

    package static func update(
        _ epoch: UInt64 = 7, _ sequence: UInt64, _ body: StreamUpdate.Body
    ) -> StreamUpdate {
        StreamUpdate(epoch: Epoch(epoch), sequence: StreamSequence(sequence), at: start.wall, body: body)
    }

    package static func report(
        _ outcome: Outcome, of command: CommandKind? = nil, device: DeviceID? = device(7),
        versionBefore: UInt64 = 8, totalUs: UInt64 = 210
    ) throws -> OutcomeReport {
        OutcomeReport(
            requestID: try #require(RequestID("0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07")), device: device,
            outcome: outcome, user: try #require(Email("demo@sensibus.local")),
            versionBefore: Version(versionBefore), attempts: 1, command: command,
            timing: OutcomeReport.Timing(totalUs: totalUs))
    }

    package static func measured(_ number: Int, deciCelsius: Int16) throws -> MeasuredDevice {
        let measurements = try #require(
            Measurements(
                deciCelsius: deciCelsius, feelsLikeDeciCelsius: deciCelsius, humidityPermille: 450,
                rssiDBm: -50))
        return MeasuredDevice(device: device(number), measurements: measurements)
    }
}
