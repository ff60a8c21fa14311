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

/// Expects that JSON has those members: an object may have others, a list has no other elements.
func expect(_ found: Any?, has expected: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    let expected = try JSONSerialization.jsonObject(with: Data(expected.utf8))
    for difference in try differences(of: found, from: expected, at: "") {
        Issue.record("\(difference)", sourceLocation: sourceLocation)
    }
}

/// Expects that the object of a pod has those members.
func expect(
    _ pod: Pod, now: PodTime = Sample.present, has expected: String,
    sourceLocation: SourceLocation = #_sourceLocation
) throws {
    try expect(Sample.object(of: pod, now: now), has: expected, sourceLocation: sourceLocation)
}

/// The value at a path of keys in JSON.
func member(_ json: Any?, _ path: String...) -> Any? {
    path.reduce(json) { ($0 as? [String: Any])?[$1] }
}

/// The keys of the object at a path of keys in JSON.
func keys(_ json: Any?, _ path: String...) -> Set<String> {
    Set((path.reduce(json) { ($0 as? [String: Any])?[$1] } as? [String: Any] ?? [:]).keys)
}

/// The paths at which JSON lacks an expected value, each with both values.
private func differences(of found: Any?, from expected: Any, at path: String) throws -> [String] {
    if let expected = expected as? [String: Any], let found = found as? [String: Any] {
        return try expected.flatMap { try differences(of: found[$0], from: $1, at: "\(path).\($0)") }
    }
    if let expected = expected as? [Any], let found = found as? [Any], expected.count == found.count {
        return try expected.indices.flatMap {
            try differences(of: found[$0], from: expected[$0], at: "\(path)[\($0)]")
        }
    }
    func text(_ value: Any) throws -> String {
        let options: JSONSerialization.WritingOptions = [.fragmentsAllowed, .sortedKeys]
        return String(
            decoding: try JSONSerialization.data(withJSONObject: value, options: options), as: UTF8.self)
    }
    let (found, expected) = (try found.map(text) ?? "missing", try text(expected))
    return found == expected ? [] : ["\(path): \(found), expected \(expected)"]
}
