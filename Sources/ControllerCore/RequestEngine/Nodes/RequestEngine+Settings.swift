import FleetProtocol
import Stepping

/// What users have set devices to do by themselves: the controller only keeps it, beside the rows.
extension RequestEngine {
    /// Takes what came with a device's row.
    ///
    /// - Returns: Whether it is other than what was known.
    mutating func keep(_ settings: DeviceSettings?, of device: DeviceID) -> Bool {
        // As nearly always: nobody has set anything.
        guard settings != nil || !directory.settings.isEmpty else { return false }
        guard directory.settings[device] != settings else { return false }
        directory.settings[device] = settings
        return true
    }

    /// Tells observers what a device is set to.
    mutating func announceSettings(of device: DeviceRecord, at now: Moment, into effects: inout Effects) {
        let settings = directory.settings[device.id] ?? DeviceSettings()
        publish(.settings(device.id, settings), to: device.account, at: now, into: &effects)
    }
}
