import Bus
import FleetClient
import FleetProtocol
import Testing

/// Values shared by tests.
enum Samples {
    static func email() throws -> Email { try #require(Email("ada@example.org")) }

    static func token(_ byte: UInt8 = 7) throws -> Token {
        try #require(Token([UInt8](repeating: byte, count: Token.length)))
    }

    static func account() throws -> AccountID { try #require(AccountID("demo")) }

    static func credentials() throws -> Credentials {
        Credentials(user: try email(), token: try token())
    }

    static func endpoint() throws -> Endpoint { try Endpoint("ipc:///tmp/controller.sock") }

    static let device = DeviceID(fleetSeed: 1, index: 1)

    static func requestID(_ seed: UInt64 = 1) -> RequestID {
        var generator = SeededGenerator(seed: seed)
        return RequestID(at: WallTime(unixMilliseconds: 1_767_225_600_000), using: &generator)
    }

    static func toggle(timeout: Duration? = nil, id: RequestID = requestID()) -> Command {
        Command(requestID: id, device: device, kind: .toggle, timeout: timeout)
    }

    static func state(isOn: Bool = true, version: UInt64 = 4) -> DeviceState {
        DeviceState(
            state: ACState(isOn: isOn, mode: .cool, targetTemperature: 22, fanLevel: .auto),
            version: Version(version), incarnation: Incarnation(bits: 9))
    }

    static func report(_ outcome: Outcome, id: RequestID = requestID()) throws -> OutcomeReport {
        OutcomeReport(requestID: id, device: device, outcome: outcome, user: try email())
    }

    static func applied() throws -> OutcomeReport { try report(.applied(state())) }

    /// An update of the stream, of a device's state unless given.
    static func update(
        _ sequence: UInt64, epoch: UInt64 = 1, _ body: StreamUpdate.Body = .reported(device, state()),
        isLast: Bool = false
    ) -> StreamUpdate {
        StreamUpdate(
            epoch: Epoch(epoch), sequence: StreamSequence(sequence), at: WallTime(unixMilliseconds: 1),
            body: body, isLast: isLast)
    }

    static func row(_ index: UInt64, node: UInt64 = 1) -> SnapshotChunk.Row {
        SnapshotChunk.Row(
            device: DeviceID(fleetSeed: 1, index: index), name: "Bedroom \(index)", node: NodeIndex(node),
            reported: state(), isConnected: true, connectedSince: WallTime(unixMilliseconds: 5),
            asOf: WallTime(unixMilliseconds: 6))
    }

    static func node(_ index: UInt64 = 1) throws -> SnapshotChunk.Node {
        SnapshotChunk.Node(
            index: NodeIndex(index), name: try #require(NodeName("node-\(index)")),
            presence: Presence(.online, since: WallTime(unixMilliseconds: 5)))
    }
}
