public import DeviceCore
import FleetProtocol

/// What a scenario will do to a fleet, before there is one.
public struct ScenarioPreview: Sendable {
    /// Something that happens by itself, over the whole fleet.
    struct Happening {
        /// What it is, as the file calls it.
        let key: String
        /// What it is, for people.
        let words: String
        /// How often it happens to one device.
        let rate: Scenario.Rate
        /// How many rows of the controller change by one.
        let changes: Double
    }

    /// What is looked at.
    public let scenario: Scenario
    /// How many devices the fleet is to have.
    public let devices: Int
    /// How many devices each group has.
    let counts: [Int]
    private let layout: Scenario.Layout

    /// The preview of so many devices.
    ///
    /// - Precondition: There is a device.
    public init(of scenario: Scenario, devices: Int) {
        precondition(devices > 0, "a fleet has a device")
        (self.scenario, self.devices) = (scenario, devices)
        layout = Scenario.Layout(of: scenario.population)
        counts = layout.counts(of: devices)
    }

    /// What happens to devices, in the order of the file.
    var happenings: [Happening] {
        let herd = scenario.herd.map { Double($0.times.count) * $0.part / 24 } ?? 0
        return [
            Happening(
                key: "switches", words: "switched with the app", rate: scenario.people.switches, changes: 1),
            Happening(
                key: "handRemotes", words: "switched by hand remote", rate: scenario.people.handRemotes,
                changes: 1),
            Happening(key: "drops", words: "Wi-Fi drops", rate: scenario.network.drops, changes: 2),
            Happening(key: "hangs", words: "hangs", rate: scenario.hangs.rate, changes: 0),
            Happening(key: "reboots", words: "reboots", rate: scenario.reboots.rate, changes: 2),
            Happening(key: "herd", words: "gone with the herd", rate: .init(perHour: herd), changes: 2),
        ]
    }

    /// How often something happens over the whole fleet: times a simulated hour, on average over the day.
    func perHour(_ happening: Happening) -> Double { happening.rate.meanPerHour * Double(devices) }

    /// How many reports all devices send: a real second.
    var reportsPerSecond: Double { Double(devices) / scenario.realSeconds(Measurements.interval) }

    /// How many rows change by what happens by itself: a real second, on average over the day.
    var changesPerSecond: Double {
        scenario.perSecond(happenings.reduce(0) { $0 + perHour($1) * $1.changes })
    }

    /// How often something happens on average in an hour of the day, over the whole fleet.
    func perHour(_ happening: Happening, inHour hour: Int) -> Double {
        let minutes = (0..<60).map { happening.rate.rate(at: hour * 3_600 + $0 * 60) }
        return minutes.reduce(0, +) / 60 * Double(devices)
    }

    /// How many devices there are of each model, in the order of the file.
    var models: [(model: ProductModel, devices: Int)] {
        ProductModel.allCases.compactMap { model in
            let count = zip(scenario.population.groups, counts).reduce(0) {
                $0 + ($1.0.model == model ? $1.1 : 0)
            }
            return count > 0 ? (model, count) : nil
        }
    }

    /// How many devices each room has, in the order of the file; those without a room under nil.
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
