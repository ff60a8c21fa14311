public import DeviceCore
import FleetProtocol
public import UserText

public struct ScenarioPreview: Sendable {
    struct ScenarioEvent {
        let key: String
        /// The name of the event, for people.
        let text: String
        let rate: Scenario.Rate
        /// The number of changes to rows of the controller for each event.
        let changes: Double
    }

    public let scenario: Scenario
    public let devices: Int
    let counts: [Int]
    private let layout: Scenario.Layout

    /// A preview for a number of devices above zero.
    public init(of scenario: Scenario, devices: Int) {
        precondition(devices > 0, "a fleet has a device")
        (self.scenario, self.devices) = (scenario, devices)
        layout = Scenario.Layout(of: scenario.population)
        counts = layout.counts(of: devices)
    }

    /// The events of devices, in the order of the file.
    var events: [ScenarioEvent] {
        let herd = scenario.herd.map { Double($0.times.count) * $0.part / 24 } ?? 0
        return [
            ScenarioEvent(
                key: "switches", text: "switched with the app", rate: scenario.people.switches, changes: 1),
            ScenarioEvent(
                key: "handRemotes", text: "switched by hand remote", rate: scenario.people.handRemotes,
                changes: 1),
            ScenarioEvent(key: "drops", text: "Wi-Fi drops", rate: scenario.network.drops, changes: 2),
            ScenarioEvent(key: "hangs", text: "hangs", rate: scenario.hangs.rate, changes: 0),
            ScenarioEvent(key: "reboots", text: "reboots", rate: scenario.reboots.rate, changes: 2),
            ScenarioEvent(key: "herd", text: "herd disconnects", rate: .init(perHour: herd), changes: 2),
        ]
    }

    /// Returns the rate of an event over the whole fleet: times a simulated hour, averaged over the day.
    func perHour(_ event: ScenarioEvent) -> Double { event.rate.meanPerHour * Double(devices) }

    /// The number of reports of all devices in a real second.
    var reportsPerSecond: Double { Double(devices) / scenario.realSeconds(Measurements.interval) }

    /// The number of rows that change in a real second because of events, averaged over the day.
    var changesPerSecond: Double {
        scenario.perSecond(events.reduce(0) { $0 + perHour($1) * $1.changes })
    }

    /// Returns the mean rate of an event in an hour of the day, over the whole fleet.
    func perHour(_ event: ScenarioEvent, inHour hour: Int) -> Double {
        let minutes = (0..<60).map { event.rate.rate(at: hour * 3_600 + $0 * 60) }
        return minutes.reduce(0, +) / 60 * Double(devices)
    }

    /// The number of devices of each model, in the order of the file.
    var models: [(model: ProductModel, devices: Int)] {
        ProductModel.allCases.compactMap { model in
            let count = zip(scenario.population.groups, counts).reduce(0) {
                $0 + ($1.0.model == model ? $1.1 : 0)
            }
            return count > 0 ? (model, count) : nil
        }
    }

    /// The number of devices in each room, in the order of the file; nil stands for no room.
    var rooms: [(group: Scenario.Group, room: String?, devices: Int)] {
        scenario.population.groups.enumerated().flatMap { index, group in
            group.rooms.isEmpty
                ? [(group, nil, counts[index])]
                : zip(group.rooms, layout.roomCounts(ofGroup: index, with: counts[index])).map {
                    (group, $0, $1)
                }
        }
    }
}

extension ScenarioPreview {
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
