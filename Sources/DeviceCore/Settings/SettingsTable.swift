public import FleetProtocol
public import Stepping

/// What users have set devices to do by themselves: a side table, for most devices are set to nothing.
struct SettingsTable: Sendable {
    private struct Entry: Sendable {
        var settings: DeviceSettings
        /// Where the room was at the last measurement; nil before the first since Climate React was set.
        var zone: ClimateReact.Zone?
        /// When the next deed is looked at; what comes at another time is a former one.
        var deedAt: MonotonicTime?
    }

    private var entries: [Int32: Entry] = [:]

    /// Whether no device is set to anything.
    var isEmpty: Bool { entries.isEmpty }

    /// The slots of those that are, in order.
    var slots: [Int] { entries.keys.sorted().map(Int.init) }

    /// What the device of a slot is set to; nil where that is nothing.
    subscript(slot: Int) -> DeviceSettings? { entries.isEmpty ? nil : entries[Int32(slot)]?.settings }

    /// Sets the device of a slot.
    mutating func set(_ settings: DeviceSettings, of slot: Int) {
        guard !settings.isEmpty else {
            entries[Int32(slot)] = nil
            return
        }
        let known = entries[Int32(slot)]
        let isSameReact = known?.settings.climateReact == settings.climateReact
        entries[Int32(slot)] = Entry(
            settings: settings, zone: isSameReact ? known?.zone : nil, deedAt: known?.deedAt)
    }

    /// Notes when the next deed of a slot is looked at; a former time counts no more.
    mutating func setDeed(of slot: Int, at due: MonotonicTime) {
        entries[Int32(slot)]?.deedAt = due
    }

    /// Whether the next deed of a slot was to be looked at then.
    func isDeed(of slot: Int, dueAt due: MonotonicTime) -> Bool { entries[Int32(slot)]?.deedAt == due }

    /// What Climate React wants set after a measurement, which is the first in its zone; nil for nothing.
    mutating func reaction(of slot: Int, to measurements: Measurements) -> ACStateChange? {
        guard let react = entries[Int32(slot)]?.settings.climateReact, react.isEnabled else { return nil }
        let zone = react.zone(of: measurements)
        guard entries[Int32(slot)]?.zone != zone else { return nil }
        entries[Int32(slot)]?.zone = zone
        return react.change(in: zone)
    }
}

/// Climate React as a scenario's groups have it: by the rule of that which users set, a byte a device where a
/// group has it at all.
struct GroupReactions: Sendable {
    /// By group; nil for one whose devices are set to nothing.
    private let reacts: [ClimateReact?]
    /// By slot: where its room was at the last measurement that counted, one of ``ClimateReact/Zone``, plus
    /// 1; 0 before the first.
    private var zones: [UInt8]

    /// What the devices of a population are set to.
    init(of groups: [Scenario.Group], devices: Int) {
        reacts = groups.map { $0.climateReact.map(ClimateReact.init(_:)) }
        zones = reacts.contains { $0 != nil } ? [UInt8](repeating: 0, count: devices) : []
    }

    /// What is wanted set after a measurement, which is the first in its zone; nil for nothing.
    mutating func reaction(of slot: Int, in group: Int, to measurements: Measurements) -> ACStateChange? {
        guard !zones.isEmpty, let react = reacts[group] else { return nil }
        let zone = react.zone(of: measurements)
        guard zones[slot] != zone.rawValue + 1 else { return nil }
        zones[slot] = zone.rawValue + 1
        return react.change(in: zone)
    }

    /// A user's Climate React has taken the place of the group's, which begins anew should that end.
    mutating func forget(_ slot: Int) {
        if !zones.isEmpty { zones[slot] = 0 }
    }
}

extension ClimateReact {
    /// Where a measurement lies.
    enum Zone: UInt8 {
        case below, within, above
    }

    /// Where a measurement lies; on a threshold it is within.
    func zone(of measurements: Measurements) -> Zone {
        let tenths = measure.tenths(of: measurements)
        if let high, tenths > high.tenths { return .above }
        if let low, tenths < low.tenths { return .below }
        return .within
    }

    /// What is to be set in a zone; nil for nothing.
    func change(in zone: Zone) -> ACStateChange? {
        switch zone {
        case .below: low?.change
        case .within: nil
        case .above: high?.change
        }
    }

    /// What the devices of a scenario's group are set to: heating and cooling towards the middle of a range.
    init(_ usual: Scenario.Group.ClimateReact) {
        func side(_ celsius: Double, _ mode: ACMode) -> Side {
            let middle = Int8(((usual.lowCelsius + usual.highCelsius) / 2).rounded())
            return Side(
                tenths: Int16((celsius * 10).rounded()),
                change: ACStateChange(
                    isOn: true, mode: mode, targetTemperature: middle, temperatureUnit: .celsius))
        }
        self.init(low: side(usual.lowCelsius, .heat), high: side(usual.highCelsius, .cool))
    }
}

/// How far east of UTC the clocks of time zones are: what a calendar has to be told, for states decide on it.
public protocol ZoneOffsets: Sendable {
    /// How many seconds the clocks of a zone are ahead of UTC at a time, negative where they are behind; nil
    /// where the zone is not known.
    func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64?
}

/// Nobody knows of any zone but UTC.
public struct UniversalTime: ZoneOffsets {
    /// UTC and nothing else.
    public init() {}

    public func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64? { zone == .utc ? 0 : nil }
}
