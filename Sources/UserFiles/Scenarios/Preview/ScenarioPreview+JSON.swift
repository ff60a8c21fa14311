import DeviceCore
import FleetProtocol
public import UserText

extension ScenarioPreview {
    /// The JSON object for scripts.
    public var json: JSONValue {
        [
            "scenario": .string(scenario.name), "about": .string(scenario.about),
            "devices": .integer(Int64(devices)), "speed": .number(scenario.clock.speed),
            "start": .string(scenario.clock.start.description),
            "realSecondsPerDay": .number(scenario.clock.secondsPerDay),
            "reportsPerSecond": Self.rounded(reportsPerSecond),
            "changesPerSecond": Self.rounded(changesPerSecond),
            "infraredLoss": .number(scenario.infrared.loss), "answer": answer,
            "population": .array(rooms.map(Self.json)),
            "perHour": .object(events.map { .init($0.key, json(of: $0)) }),
            "nodeCrashesPerHour": Self.rounded(scenario.nodes.crashes.meanPerHour),
            "cloud": .array(scenario.cloud.map(Self.json)),
            "day": .array((0..<24).map(json(ofHour:))),
        ]
    }

    private static func json(of room: (group: Scenario.Group, room: String?, devices: Int)) -> JSONValue {
        [
            "site": .string(room.group.site), "room": .text(room.room),
            "model": .string(room.group.model.rawValue), "remote": .string(room.group.remote.rawValue),
            "airConditioner": .text(
                room.group.model.switchesAirConditioner ? room.group.airConditioner.rawValue : nil),
            "lowCelsius": room.group.climateReact.map { .number($0.lowCelsius) } ?? .null,
            "highCelsius": room.group.climateReact.map { .number($0.highCelsius) } ?? .null,
            "firmware": .text(room.group.firmware), "devices": .integer(Int64(room.devices)),
        ]
    }

    /// Returns the object of a cloud fault; equal times stand for all day.
    private static func json(of part: CloudDay.Part) -> JSONValue {
        let times = [part.from, part.to].map { Scenario.TimeOfDay(secondOfDay: Int($0)).description }
        return .object(
            part.fault.jsonMembers + [.init("from", .string(times[0])), .init("to", .string(times[1]))])
    }

    /// Returns the means over the day and the whole fleet.
    private func json(of event: ScenarioEvent) -> JSONValue {
        let mean = perHour(event)
        return ["simulated": Self.rounded(mean), "real": Self.rounded(mean * scenario.clock.speed)]
    }

    private func json(ofHour hour: Int) -> JSONValue {
        let time = Scenario.TimeOfDay(secondOfDay: hour * 3_600)
        return .object(
            [
                .init("hour", .integer(Int64(hour))),
                .init("celsius", Self.rounded(scenario.weather.celsius(at: time))),
            ] + events.map { .init($0.key, Self.rounded(perHour($0, inHour: hour))) })
    }

    /// Returns a number rounded to six decimals, beyond which rounding errors dominate.
    private static func rounded(_ number: Double) -> JSONValue { .number((number * 1e6).rounded() / 1e6) }

    private var answer: JSONValue {
        func milliseconds(_ duration: Duration) -> JSONValue {
            .number(Double(duration.wholeNanoseconds) / 1e6)
        }
        return switch scenario.answer {
        case .fixed(let duration): ["fixedMs": milliseconds(duration)]
        case .uniform(let low, let high): ["lowMs": milliseconds(low), "highMs": milliseconds(high)]
        case .logNormal(let median, let p99): ["medianMs": milliseconds(median), "p99Ms": milliseconds(p99)]
        }
    }
}
