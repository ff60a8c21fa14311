import FleetProtocol

/// What a device makes of a change of its settings.
enum SettingDecision: Equatable {
    /// It is set to this from now on.
    case changed(DeviceSettings)
    /// It was so already.
    case unchanged
    /// It cannot be; which value, and what is allowed.
    case rejected(String)
}
