import FleetProtocol
import FleetReplica
import Testing

/// A replica of a small fleet, with its feed and events.
struct TestReplica {
    static let start = Moment(
        monotonic: MonotonicTime(nanoseconds: 1_000_000_000_000),
        wall: WallTime(unixMilliseconds: 1_769_860_801_234))
    static let epoch = Epoch(7)

    private(set) var replica = Replica(random: SeededGenerator(seed: 1))
    private(set) var sequence: UInt64 = 10

    /// A replica that is connected and knows devices of those names.
    init(_ names: [String]) throws {
        step(.connection(.established))
        _ = receive(.beat)
        try answer(names)
    }

    static func device(_ number: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(number)) }

    static func state(on isOn: Bool = false, version: UInt64 = 1) -> DeviceState {
        DeviceState(
            state: ACState(isOn: isOn, mode: .cool, targetTemperature: 22, fanLevel: .auto),
            version: Version(version), incarnation: Incarnation(bits: 0xabcd))
    }

    static func report(_ outcome: Outcome) throws -> OutcomeReport {
        OutcomeReport(
            requestID: try #require(RequestID("0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07")), device: device(0),
            outcome: outcome, user: try #require(Email("demo@sensibus.local")), versionBefore: Version(8),
            attempts: 1, timing: OutcomeReport.Timing(totalUs: 210))
    }

    var position: StreamPosition {
        StreamPosition(epoch: Self.epoch, sequence: StreamSequence(sequence))
    }

    /// Receives the next update; a beat has the last sequence number.
    @discardableResult
    mutating func receive(_ body: StreamUpdate.Body) -> StreamUpdate {
        if body != .beat { sequence += 1 }
        let update = StreamUpdate(
            epoch: Self.epoch, sequence: StreamSequence(sequence), at: Self.start.wall, body: body)
        step(.update(update))
        return update
    }

    mutating func step(_ input: Replica.Input) {
        var effects: [Replica.Effect] = []
        replica.step(input, at: Self.start, into: &effects)
        for effect in effects {
            if case .pull(let pull) = effect { self.pull = pull }
        }
        if replica.hasUnwrittenRows { step(.tick) }
    }

    private var pull: Replica.Pull?

    private mutating func answer(_ names: [String]) throws {
        let rows = names.enumerated().map { number, name in
            SnapshotChunk.Row(
                device: Self.device(number), name: name, node: NodeIndex(1), group: GroupNumber(0),
                reported: Self.state(), isConnected: true, connectedSince: Self.start.wall,
                asOf: Self.start.wall, measured: nil)
        }
        let node = SnapshotChunk.Node(
            index: NodeIndex(1), name: try #require(NodeName("node-1")),
            presence: Presence(.online, since: Self.start.wall))
        let chunk = SnapshotChunk(
            epoch: Self.epoch, sequence: StreamSequence(sequence), nextCursor: 0, isLast: true,
            nodes: [node], groups: [], rows: rows)
        step(.chunk(chunk, answering: try #require(pull)))
        try #require(replica.isWhole)
    }
}
