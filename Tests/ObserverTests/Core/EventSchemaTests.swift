import FleetProtocol
import FleetReplica
import Foundation
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("The schema of events")
struct EventSchemaTests {
    private let schema: JSONSchema

    init() throws {
        let folder = URL(filePath: #filePath).deletingLastPathComponent()
        schema = try JSONSchema(Data(contentsOf: folder.appending(path: "../../../docs/events.schema.json")))
    }

    /// All settings.
    private static var settings: DeviceSettings {
        var settings = DeviceSettings()
        let low = ClimateReact.Side(tenths: 195, change: ACStateChange(isOn: true, mode: .heat))
        settings.climateReact = ClimateReact(isEnabled: false, measure: .feelsLike, low: low, high: nil)
        settings.timer = DeviceTimer(
            change: ACStateChange(isOn: false, targetTemperature: 22), due: WallTime(unixMilliseconds: 1))
        settings.filter = FilterStatus(
            cleanedAt: nil, recordedSeconds: 12.5, recordedAt: WallTime(unixMilliseconds: 1),
            secondsPerSecond: 0)
        settings.calibration = SensorCalibration(deciCelsius: -5, humidityPermille: 10)
        settings.pureBoost = PureBoost(sensitivity: .sensitive, integrations: [.measurements, .prime])
        if let time = LocalTime(minuteOfDay: 1_335) {
            let plan = SchedulePlan(
                change: ACStateChange(isOn: false), time: time, weekdays: .working, zone: .utc)
            settings.schedules = [
                DeviceSchedule(
                    id: ScheduleID(randomBits: 1), plan: plan, createdAt: WallTime(unixMilliseconds: 1),
                    due: WallTime(unixMilliseconds: 2), calendarDue: WallTime(unixMilliseconds: 2))
            ]
        }
        return settings
    }

    /// Events of every kind, in every form, with their replica.
    private func everything() throws -> (events: [ObserverEvent], replica: Replica) {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1), Fixture.row(2)]))
        let warm = try #require(
            Measurements(deciCelsius: -34, feelsLikeDeciCelsius: 250, humidityPermille: 455, rssiDBm: -61))
        let state = Fixture.state(on: true, version: 2)
        var bodies: [StreamUpdate.Body] = [
            .reported(Fixture.device(1), state), .connection(Fixture.device(1), isConnected: false),
            .connection(Fixture.device(1), isConnected: true),
            .measured([MeasuredDevice(device: Fixture.device(1), measurements: warm)]),
            .added(Fixture.row(3)), .removed(Fixture.device(2)),
            .settings(Fixture.device(1), Self.settings), .settings(Fixture.device(1), DeviceSettings()),
        ]
        for kind: Presence.Kind in [.stale, .offline(.nodeLost), .online, .offline(.nodeLeft), .unknown] {
            bodies.append(.node(try Fixture.node(1, "node-1", kind), devices: 2))
        }
        let outcomes: [Outcome] = [
            .applied(state), .unchanged(state), .conflict(state), .rejected("no"), .cancelled, .expired,
            .undetermined(.deviceGone), .unknown,
        ]
        for outcome in outcomes { bodies.append(.outcome(try Fixture.report(outcome))) }
        for command in CommandKind.allCases {
            bodies.append(.outcome(try Fixture.report(.applied(state), of: command)))
        }
        bodies.append(.outcome(try Fixture.report(.cancelled, device: nil)))
        for body in bodies { driver.receive(body) }
        driver.receive(Fixture.update(7, 99, .beat))
        driver.step(.connection(.failed("no route")))
        let notices: [ObserverEvent.Notice] = [
            .signedOut("run `fleet login`"), .signedIn, .history(nil), .held(nil, "power on"),
            .held(driver.replica.named(Fixture.device(1)), "power on"),
        ]
        let others = [FleetEvent.Body.connection(.connecting)] + Staleness.allCases.map { .stale($0) }
        let events =
            driver.observerEvents + notices.map { ObserverEvent(at: driver.now.wall, $0) }
            + others.map { ObserverEvent(at: driver.now.wall, $0) }
        return (events, driver.replica)
    }

    @Test("every line is valid by the schema, which has every key in it")
    func everyLine() throws {
        let (events, replica) = try everything()
        var output: [UInt8] = []
        for event in events { EventJSON.append(event, of: replica, filter: .all, to: &output) }
        EventJSON.appendSnapshot(of: replica, at: Fixture.start.wall, filter: .all, to: &output)
        let keys = schema.keys()
        var (kinds, notices): (Set<String>, Set<String>) = ([], [])
        for line in output.split(separator: UInt8(ascii: "\n")) {
            let value = try JSONSerialization.jsonObject(with: Data(line))
            let text = String(decoding: line, as: UTF8.self)
            #expect(try schema.faults(of: value) == [], "\(text)")
            let object = try #require(value as? [String: Any])
            #expect(Set(object.keys).subtracting(keys).isEmpty, "\(text)")
            kinds.insert(try #require(object["kind"] as? String))
            if let notice = object["notice"] as? String { notices.insert(notice) }
        }
        #expect(
            kinds == [
                "reported", "presence", "outcome", "notice", "stale", "resync", "measured", "settings",
                "snapshot",
            ])
        #expect(notices.count == 9)
    }

    @Test(
        "a line with missing or wrong values is invalid",
        arguments: [
            #"{"kind":"stale","device":null,"name":null,"node":null,"reason":"gap"}"#,
            #"{"at":"2026-01-31T12:00:01.234Z","kind":"stale","device":null,"name":null,"node":null,"reason":"x"}"#,
            #"{"at":"2026-01-31T12:00:01.234Z","kind":"stale","device":"a","name":null,"node":null,"reason":"gap"}"#,
            #"{"at":"2026-01-31T12:00:01Z","kind":"stale","device":null,"name":null,"node":null,"reason":"gap"}"#,
            #"{"at":"2026-01-31T12:00:01.234Z","kind":"notice","device":null,"name":null,"node":null}"#,
            #"{"at":"2026-01-31T12:00:01.234Z","kind":"new","device":null,"name":null,"node":null}"#,
        ])
    func refuses(line: String) throws {
        let value = try JSONSerialization.jsonObject(with: Data(line.utf8))
        #expect(try !schema.faults(of: value).isEmpty)
    }
}
