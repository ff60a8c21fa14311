import FleetProtocol
import ProcessSupport
import UserText

@testable import fleet

extension DeviceState {
    /// On, cooling to 22 °C, at version 4.
    static let sample = DeviceState(
        state: ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto), version: Version(4),
        incarnation: Incarnation(bits: 0xabc))
}

extension RequestID {
    /// A UUID of version 7.
    static let sample = RequestID(high: 0x0190_a6e8_7c5b_7d2e, low: 0x9a41_3f5b_8c2d_1e07)
}

/// The value of an initializer that a test's constants satisfy.
func valid<Value>(_ value: Value?) -> Value {
    guard let value else { preconditionFailure("not a valid \(Value.self)") }
    return value
}

extension Email {
    static let demo = valid(Email("demo@sensibus.local"))
    static let ann = valid(Email("ann@example.com"))
}

extension AccountID {
    static let demo = valid(AccountID("demo"))
}

extension Token {
    static let sample = valid(Token([UInt8](repeating: 7, count: length)))
}

extension StoredSession {
    /// The session of an owner.
    static let sample = StoredSession(email: .demo, account: .demo, role: .owner, token: .sample)
}

extension SnapshotChunk {
    /// The whole snapshot of devices of those names, with the indices from 0, of one node.
    static func sample(_ names: [String] = ["Bedroom 1", "Bedroom 2", "Office"]) -> SnapshotChunk {
        let start = WallTime(unixMilliseconds: 1)
        let rows = names.enumerated().map { index, name in
            Row(
                device: DeviceID(fleetSeed: 1, index: UInt64(index)), name: name, node: NodeIndex(1),
                group: GroupNumber(1), reported: .sample, isConnected: true, connectedSince: start,
                asOf: start)
        }
        let node = Node(
            index: NodeIndex(1), name: valid(NodeName("node-1")), presence: Presence(.online, since: start))
        let group = DeviceGroup(model: .airPro, site: "Mill Lane", firmware: "", remote: .toggle)
        return SnapshotChunk(
            epoch: Epoch(1), sequence: StreamSequence(1), nextCursor: UInt32(rows.count), isLast: true,
            nodes: [node], groups: [Group(number: GroupNumber(1), group: group)], rows: rows)
    }
}

extension OutcomeReport {
    /// A report of that outcome for the first device of ``ListedDevice/sample(_:_:)``.
    static func sample(
        _ outcome: Outcome, of command: CommandKind = .toggle, totalUs: UInt64 = 214
    ) -> OutcomeReport {
        OutcomeReport(
            requestID: .sample, device: DeviceID(fleetSeed: 1, index: 0), outcome: outcome, user: .demo,
            versionBefore: Version(3), attempts: 1, command: command, timing: .init(totalUs: totalUs))
    }

    /// The report that a controller sends about that command.
    static func of(_ command: Command, _ outcome: Outcome) -> OutcomeReport {
        OutcomeReport(
            requestID: command.requestID, device: command.device, outcome: outcome, user: .demo, attempts: 1,
            timing: .init(totalUs: 214))
    }
}

extension ListedDevice {
    /// A device of that name and index, online since the epoch.
    static func sample(_ name: String, _ index: UInt64 = 0) -> ListedDevice {
        ListedDevice(
            id: DeviceID(fleetSeed: 1, index: index), name: name, reported: .sample,
            presence: Presence(.online, since: WallTime(unixMilliseconds: 0)),
            asOf: WallTime(unixMilliseconds: 1_769_860_800_123))
    }
}

extension JSONObject {
    /// The JSON text of the member with that key.
    func text(of key: String) -> String? {
        self[key].map { JSONObject([("", $0)]).line }.map { String($0.dropFirst(#"{"":"#.count).dropLast()) }
    }
}
