import DeviceCore
import FleetProtocol
public import UserText

extension ScenarioPreview {
    /// The JSON object for scripts.
    public var json: JSONObject {
        [
            "scenario": scenario.name, "about": scenario.about, "devices": devices,
            "speed": scenario.clock.speed, "start": scenario.clock.start.description,
            "realSecondsPerDay": scenario.clock.secondsPerDay,
            "reportsPerSecond": Self.rounded(reportsPerSecond),
            "changesPerSecond": Self.rounded(changesPerSecond), "infraredLoss": scenario.infrared.loss,
            "answer": answer, "population": rooms.map(Self.json),
            "perHour": JSONObject(events.map { ($0.key, json(of: $0)) }),
            "nodeCrashesPerHour": Self.rounded(scenario.nodes.crashes.meanPerHour),
            "cloud": scenario.cloud.map(Self.json), "day": (0..<24).map(json(ofHour:)),
        ]
    }

    private static func json(of room: (group: Scenario.Group, room: String?, devices: Int)) -> JSONObject {
        [
            "site": room.group.site, "room": room.room,
            "model": room.group.model.rawValue, "remote": room.group.remote.rawValue,
            "airConditioner": room.group.model.switchesAirConditioner
                ? Optional(room.group.airConditioner.rawValue) : nil,
            "lowCelsius": room.group.climateReact?.lowCelsius,
            "highCelsius": room.group.climateReact?.highCelsius,
            "firmware": room.group.firmware, "devices": room.devices,
        ]
    }

    /// Returns the object of a cloud fault; equal times stand for all day.
    private static func json(of part: CloudDay.Part) -> JSONObject {
        let times = [part.from, part.to].map { Scenario.TimeOfDay(secondOfDay: Int($0)).description }
        return part.fault.jsonMembers + ["from": times[0], "to": times[1]]
    }

    /// Returns the means over the day and the whole fleet.
    private func json(of event: ScenarioEvent) -> JSONObject {
        let mean = perHour(event)
        return ["simulated": Self.rounded(mean), "real": Self.rounded(mean * scenario.clock.speed)]
    }

    private func json(ofHour hour: Int) -> JSONObject {
        let time = Scenario.TimeOfDay(secondOfDay: hour * 3_600)
        return ["hour": hour, "celsius": Self.rounded(scenario.weather.celsius(at: time))]
            + JSONObject(events.map { ($0.key, Self.rounded(perHour($0, inHour: hour))) })
    }

    /// Returns a number rounded to six decimals, beyond which rounding errors dominate.
    private static func rounded(_ number: Double) -> Double { (number * 1e6).rounded() / 1e6 }

    private var answer: JSONObject {
        func milliseconds(_ duration: Duration) -> Double { Double(duration.wholeNanoseconds) / 1e6 }
        return switch scenario.answer {
        case .fixed(let duration): ["fixedMs": milliseconds(duration)]
        case .uniform(let low, let high): ["lowMs": milliseconds(low), "highMs": milliseconds(high)]
        case .logNormal(let median, let p99): ["medianMs": milliseconds(median), "p99Ms": milliseconds(p99)]
        }
    }
}
