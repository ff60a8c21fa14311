import DeviceCore
import FleetProtocol
import UserText

extension ScenarioReader {
    private static let groupKeys = [
        "share", "count", "model", "site", "rooms", "remote", "air-conditioner", "climate-react",
        "firmware", "filters-run", "calibration", "pure-boost", "schedules",
    ]

    private static let switchingModels = "models that switch an air conditioner: skyv2, airq"

    mutating func population(_ entry: Entry?) -> Scenario.Population? {
        guard let entry, let entries = list(entry, upTo: ScenarioLimits.groups, "groups") else { return nil }
        let groups = entries.compactMap { group($0) }
        let rooms = groups.reduce(0) { $0 + $1.rooms.count }
        guard rooms <= ScenarioLimits.rooms else {
            findings.add(
                entry.place, found: "\(FigureText.count(rooms)) rooms in all",
                allowed: "at most \(FigureText.count(ScenarioLimits.rooms))")
            return nil
        }
        return groups.count == entries.count ? Scenario.Population(groups: groups) : nil
    }

    private mutating func group(_ entry: Entry) -> Scenario.Group? {
        guard let fields = fields(of: entry, Self.groupKeys) else { return nil }
        let usual = Scenario.Group()
        var group = usual
        group.size = size(fields) ?? usual.size
        group.model = choice(fields["model"]) ?? usual.model
        group.site = shortName(fields["site"]) ?? usual.site
        group.rooms = rooms(fields["rooms"]) ?? usual.rooms
        group.remote = choice(fields["remote"]) ?? usual.remote
        group.airConditioner =
            airConditioner(fields["air-conditioner"], of: group.model) ?? usual.airConditioner
        group.climateReact = climateReact(fields["climate-react"], of: group.model)
        group.firmware = shortName(fields["firmware"])
        group.settings = settings(fields, of: group)
        return group
    }

    private mutating func size(_ fields: [String: Entry]) -> Scenario.Group.Size? {
        let share = whole(fields["share"], in: 1...100, "parts of the devices without a count")
        let count = whole(fields["count"], in: 1...Limits.nodeDevices, "devices")
        guard let counted = fields["count"] else { return share.map { .share($0) } }
        guard fields["share"] == nil else {
            findings.add(
                counted.place, found: "both count and share",
                allowed: "one of them: a fixed count, or a share of the rest")
            return nil
        }
        return count.map { .count($0) }
    }

    /// Reads a name that is sent to the controller, and is therefore also short in bytes.
    mutating func shortName(_ entry: Entry?) -> String? {
        guard let entry, let name = name(entry) else { return nil }
        guard name.utf8.count <= Limits.nameBytes else {
            refuse(entry, "at most \(Limits.nameBytes) bytes")
            return nil
        }
        return name
    }

    private mutating func rooms(_ entry: Entry?) -> [String]? {
        guard let entries = list(entry, upTo: ScenarioLimits.rooms, "names of rooms") else { return nil }
        var rooms: [String] = []
        var known: Set<String> = []
        for entry in entries {
            guard let room = name(entry) else { continue }
            if room.utf8.count > ScenarioLimits.roomBytes {
                refuse(entry, "at most \(ScenarioLimits.roomBytes) bytes: devices are named after it")
            } else if !known.insert(room).inserted {
                findings.add(entry.place, found: "\(entry.found) again", allowed: "each room of a group once")
            } else {
                rooms.append(room)
            }
        }
        return rooms
    }

    private mutating func airConditioner(_ entry: Entry?, of model: ProductModel) -> AirConditionerKind? {
        guard let entry else { return nil }
        guard model.switchesAirConditioner else {
            findings.add(
                entry.place, found: "an air conditioner of a \(model.rawValue)", allowed: Self.switchingModels
            )
            return nil
        }
        return choice(entry)
    }

    private mutating func climateReact(
        _ entry: Entry?, of model: ProductModel
    ) -> Scenario.Group.ClimateReact? {
        guard let entry, let fields = fields(of: entry, ["low", "high"]) else { return nil }
        guard model.switchesAirConditioner else {
            findings.add(
                entry.place, found: "Climate React on a \(model.rawValue)", allowed: Self.switchingModels)
            return nil
        }
        guard let lowEntry = fields["low"], let highEntry = fields["high"] else {
            findings.add(entry.place, found: "one threshold or none", allowed: "both low and high, °C")
            return nil
        }
        let low = number(lowEntry, in: 5...40, "°C")
        let high = number(highEntry, in: 5...40, "°C")
        guard let low, let high else { return nil }
        guard low < high else {
            refuse(highEntry, "more than low, which is \(NumberText.of(low))")
            return nil
        }
        return Scenario.Group.ClimateReact(lowCelsius: low, highCelsius: high)
    }
}
