import FleetProtocol

/// What devices of one account have reported in a step, until it is published.
struct GatheredReports: Sendable {
    /// Whether reports are gathered: rows of several devices are being taken.
    var isOpen = false
    /// Whose devices they are.
    var account: AccountIndex = 0
    /// What they reported, in its order: at most ``Limits/updateDevices``.
    var devices: [ReportedDevice] = []
}
