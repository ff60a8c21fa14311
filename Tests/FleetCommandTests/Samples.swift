import FleetProtocol
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

extension OutcomeReport {
    /// A report of that outcome for the first device of ``ListedDevice/sample(_:_:)``.
    static func sample(
        _ outcome: Outcome, of command: CommandKind = .toggle, totalUs: UInt64 = 214
    ) -> OutcomeReport {
        guard let user = Email("demo@sensibus.local") else { preconditionFailure("an email address") }
        return OutcomeReport(
            requestID: .sample, device: DeviceID(fleetSeed: 1, index: 0), outcome: outcome, user: user,
            versionBefore: Version(3), attempts: 1, command: command,
            timing: .init(totalUs: totalUs))
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
