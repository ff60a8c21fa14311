import FleetProtocol

extension ListedDevice {
    /// The headings of ``csvFields``.
    public static let csvHeadings = [
        "id", "name", "node", "on", "mode", "targetTemperature", "temperatureUnit", "fanLevel", "presence",
        "reason", "presenceSince", "version", "incarnation", "asOf", "celsius", "humidityPercent",
        "measuredAt",
    ]

    /// The fields of a record of comma-separated values; unknown values are empty.
    public var csvFields: [String] {
        let state = reported.state
        return [
            id.description, SafeText.of(name), node?.text ?? "?", "\(state.isOn)", state.mode.name,
            "\(state.targetTemperature)", state.temperatureUnit.letter, state.fanLevel.name,
            presence.kind.name, presence.reason?.name ?? "", TimeText.iso8601(presence.since),
            reported.version.description, reported.incarnation.description, TimeText.iso8601(asOf),
            measured.map { "\($0.measurements.celsius)" } ?? "",
            measured.map { "\($0.measurements.humidityPercent)" } ?? "",
            measured.map { TimeText.iso8601($0.at) } ?? "",
        ]
    }
}
