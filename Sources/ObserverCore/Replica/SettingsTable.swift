import FleetProtocol

/// What devices are set to do by themselves, of the few that are, each with what last wrote it.
///
/// It may know a device whose row a snapshot has yet to bring.
struct SettingsTable: Sendable {
    private struct Entry: Sendable {
        /// Empty for nothing: that too must not be written over by what is older.
        var settings: DeviceSettings
        var at: StreamPosition
    }

    private var entries: [DeviceID: Entry] = [:]

    /// What a device is set to; nil for nothing.
    subscript(device: DeviceID) -> DeviceSettings? {
        guard let settings = entries[device]?.settings, !settings.isEmpty else { return nil }
        return settings
    }

    /// Writes what a device is set to, unless that is older than what is known.
    ///
    /// - Returns: Whether that is news.
    mutating func write(_ new: DeviceSettings?, of device: DeviceID, from position: StreamPosition) -> Bool {
        // As nearly always: nobody has set anything.
        guard new != nil || !entries.isEmpty else { return false }
        let known = entries[device]
        guard new != nil || known != nil, position >= known?.at ?? .zero else { return false }
        let settings = new ?? DeviceSettings()
        entries[device] = Entry(settings: settings, at: position)
        return settings != known?.settings ?? DeviceSettings()
    }

    /// Forgets a device that is gone.
    mutating func forget(_ device: DeviceID) {
        if !entries.isEmpty { entries[device] = nil }
    }

    /// Lets anything be written over all of it: the positions are another controller's.
    mutating func forgetPositions() {
        entries = entries.mapValues { Entry(settings: $0.settings, at: .zero) }
    }

    /// Forgets who is set to nothing: nothing older can come any more.
    mutating func dropEmpty() {
        if !entries.isEmpty { entries = entries.filter { !$0.value.settings.isEmpty } }
    }
}
