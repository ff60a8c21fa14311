public import FleetProtocol

/// The settings of devices, such as timers and schedules, in a side table: most devices have none.
struct SettingsTable: Sendable {
    private struct Entry: Sendable {
        var settings: DeviceSettings
        /// The zone of the last measurement; nil before the first since Climate React was set.
        var zone: ClimateReact.Zone?
        /// The due time of the armed timer event; events with another time are obsolete.
        var actionAt: MonotonicTime?
    }

    private var entries: [Int32: Entry] = [:]
    /// Climate React of the scenario's groups, for devices whose user has not set it.
    private var groupReactions: GroupReactions

    init(groups: [Scenario.Group], devices: Int) {
        groupReactions = GroupReactions(of: groups, devices: devices)
    }

    var isEmpty: Bool { entries.isEmpty }
    var slots: [Int] { entries.keys.sorted().map(Int.init) }

    subscript(slot: Int) -> DeviceSettings? { entries.isEmpty ? nil : entries[Int32(slot)]?.settings }

    mutating func set(_ settings: DeviceSettings, of slot: Int) {
        guard !settings.isEmpty else {
            entries[Int32(slot)] = nil
            return
        }
        let known = entries[Int32(slot)]
        let isSameReact = known?.settings.climateReact == settings.climateReact
        entries[Int32(slot)] = Entry(
            settings: settings, zone: isSameReact ? known?.zone : nil, actionAt: known?.actionAt)
    }

    /// Updates the running time of a device's filter; returns the new settings, or nil without a filter. From
    /// now on it runs for that many simulated seconds in a real second.
    mutating func updateFilter(of slot: Int, at wall: WallTime, secondsPerSecond: Double) -> DeviceSettings? {
        guard var updated = self[slot], let filter = updated.filter else { return nil }
        updated.filter = filter.updated(at: wall, secondsPerSecond: secondsPerSecond)
        set(updated, of: slot)
        return updated
    }

    /// Makes a device's next deed the armed one; returns the time for its timer event, or nil for no deed.
    /// Timer events that were armed earlier become obsolete.
    mutating func armAction(of slot: Int, at now: Moment) -> MonotonicTime? {
        guard let action = self[slot]?.nextAction else { return nil }
        let due = now.monotonic.advanced(by: max(.zero, now.wall.duration(to: action.due)))
        entries[Int32(slot)]?.actionAt = due
        return due
    }

    /// Whether the timer event of a slot with a due time is the armed one.
    func isAction(of slot: Int, dueAt due: MonotonicTime) -> Bool { entries[Int32(slot)]?.actionAt == due }

    /// The change that Climate React requests at the first measurement or in a new zone; nil for none. The
    /// Climate React of a user replaces the group's.
    mutating func reaction(of slot: Int, in group: Int, to measurements: Measurements) -> ACStateChange? {
        guard let react = self[slot]?.climateReact else {
            return groupReactions.reaction(of: slot, in: group, to: measurements)
        }
        groupReactions.remove(slot)
        guard react.isEnabled else { return nil }
        let zone = react.zone(of: measurements)
        guard entries[Int32(slot)]?.zone != zone else { return nil }
        entries[Int32(slot)]?.zone = zone
        return react.change(in: zone)
    }
}

/// Climate React of a scenario's groups, by the same rule as that of users: one byte a device if any group
/// has it.
private struct GroupReactions: Sendable {
    private let reacts: [ClimateReact?]
    /// The zone of the last measurement by slot: the raw value of ``ClimateReact/Zone`` plus 1; 0 before the
    /// first.
    private var zones: [UInt8]

    init(of groups: [Scenario.Group], devices: Int) {
        reacts = groups.map { $0.climateReact.map(ClimateReact.init(_:)) }
        zones = reacts.contains { $0 != nil } ? [UInt8](repeating: 0, count: devices) : []
    }

    /// The change that the group requests at the first measurement or in a new zone; nil for none.
    mutating func reaction(of slot: Int, in group: Int, to measurements: Measurements) -> ACStateChange? {
        guard !zones.isEmpty, let react = reacts[group] else { return nil }
        let zone = react.zone(of: measurements)
        guard zones[slot] != zone.rawValue + 1 else { return nil }
        zones[slot] = zone.rawValue + 1
        return react.change(in: zone)
    }

    /// Resets a slot's zone, because a user's Climate React replaces the group's; the group's may resume
    /// later.
    mutating func remove(_ slot: Int) {
        if !zones.isEmpty { zones[slot] = 0 }
    }
}

extension ClimateReact {
    /// The position of a measurement relative to the thresholds.
    enum Zone: UInt8 {
        case below, within, above
    }

    /// Returns the zone of a measurement; a measurement on a threshold is within.
    func zone(of measurements: Measurements) -> Zone {
        let tenths = measure.tenths(of: measurements)
        if let high, tenths > high.tenths { return .above }
        if let low, tenths < low.tenths { return .below }
        return .within
    }

    func change(in zone: Zone) -> ACStateChange? {
        switch zone {
        case .below: low?.change
        case .within: nil
        case .above: high?.change
        }
    }

    /// The Climate React of a scenario's group: heats and cools towards the middle of the range.
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

/// The UTC offsets of time zones, passed in because the node's decisions depend on them.
public protocol ZoneOffsets: Sendable {
    /// Returns the seconds by which a zone's clocks are ahead of UTC at a time, negative if they are behind;
    /// nil for an unknown zone.
    func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64?
}

/// Offsets that know only the zone UTC.
public struct UniversalTime: ZoneOffsets {
    /// The offset zero for UTC, and nil for other zones.
    public init() {}

    public func secondsEast(in zone: TimeZoneName, at time: WallTime) -> Int64? { zone == .utc ? 0 : nil }
}
