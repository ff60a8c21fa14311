import FleetProtocol
import Stepping

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
