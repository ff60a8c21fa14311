import FleetProtocol
import Foundation
import GatewayCore
import Testing

/// Sample pods and their data.
enum Sample {
    /// 2026-01-31T12:00:01.234Z.
    static let now = WallTime(unixMilliseconds: 1_769_860_801_234)
    static let present = PodTime(now)
    static let device = DeviceID(fleetSeed: 1, index: 0)
    static let request = RequestID(high: 0x0190_a6e8_7c5b_7d2e, low: 0x9a41_3f5b_8c2d_1e07)

    static func account() throws -> AccountID { try #require(AccountID("demo")) }

    static func user() throws -> Email { try #require(Email("demo@sensibus.local")) }

    static func ago(_ seconds: Int64) -> WallTime { now.advanced(by: .seconds(-seconds)) }

    static func state(
        on isOn: Bool = true, mode: ACMode = .cool, target: Int8 = 22, unit: TemperatureUnit = .celsius,
        fan: FanLevel = .auto, version: UInt64 = 3
    ) -> DeviceState {
        DeviceState(
            state: ACState(
                isOn: isOn, mode: mode, targetTemperature: target, temperatureUnit: unit, fanLevel: fan),
            version: Version(version), incarnation: Incarnation(bits: 0xabcd))
    }

    static func measured(deciCelsius: Int16 = 215, permille: UInt16 = 457) throws -> Measurements {
        try #require(
            Measurements(
                deciCelsius: deciCelsius, feelsLikeDeciCelsius: max(deciCelsius, 216),
                humidityPermille: permille, rssiDBm: -61))
    }

    static func pod(
        _ model: ProductModel = .sky, name: String = "Hall", state: DeviceState = state(),
        presence: Presence.Kind = .online, remote: RemoteKind = .discrete,
        airConditioner: AirConditionerKind = .split, site: String = "North",
        settings: DeviceSettings? = nil, changes: Pod.ChangeTimes = Pod.ChangeTimes()
    ) throws -> Pod {
        Pod(
            device: device, name: name, reported: state, asOf: ago(40),
            presence: Presence(presence, since: ago(30)),
            group: DeviceGroup(
                model: model, site: site, firmware: model.usualFirmware, remote: remote,
                airConditioner: airConditioner),
            measured: SnapshotChunk.Measured(try measured(), at: ago(20)), settings: settings,
            changes: changes)
    }

    static func schedule(_ id: ScheduleID) throws -> DeviceSchedule {
        DeviceSchedule(
            id: id,
            plan: SchedulePlan(
                change: ACStateChange(isOn: false), time: try #require(LocalTime("17:40")),
                weekdays: Weekdays([.wednesday, .sunday]),
                zone: try #require(TimeZoneName("Europe/Stockholm"))),
            createdAt: ago(3_600), due: now.advanced(by: .seconds(90)),
            calendarDue: now.advanced(by: .seconds(90)))
    }

    static func object(
        of pod: Pod, fields: PodFields = .all, now: PodTime = present
    ) throws -> [String: Any] {
        try #require(
            result(of: APIResponse.pod(pod, of: try account(), fields: fields, now: now)) as? [String: Any])
    }

    /// The result in an answer.
    static func result(of answer: APIResponse) throws -> Any? {
        let json = try json(answer)
        #expect(json["status"] as? String == "success")
        return json["result"]
    }

    /// An answer's body, parsed by an independent parser.
    static func json(_ answer: APIResponse) throws -> [String: Any] {
        #expect(answer.contentType == .json)
        return try #require(
            JSONSerialization.jsonObject(with: Data(answer.body)) as? [String: Any],
            "\(String(decoding: answer.body, as: UTF8.self))")
    }

    static func text(_ answer: APIResponse) -> String { String(decoding: answer.body, as: UTF8.self) }

    static func body(_ json: String) -> [UInt8] { Array(json.utf8) }
}
