import FleetProtocol
import FleetReplica
import FleetTime
import UserText

/// The page of one device: its state, its room, and its latest events.
struct DevicePage {
    /// The values that the page shows.
    struct Details {
        let line: ScreenContent.Row
        let group: DeviceGroup?
        let measured: SnapshotChunk.Measured?
        /// Oldest first.
        let events: [HistoryEvent]
        let now: WallTime
    }

    private static let labelWidth = 10

    private let details: Details

    init(_ details: Details) { self.details = details }

    /// Returns all lines of the page.
    /// - Parameter eastOfUTC: The offset of local time from UTC, positive to the east.
    func lines(eastOfUTC: Duration) -> [ScreenLine] {
        [ScreenLine(details.line.device.label, .bold)] + device() + room() + history(eastOfUTC)
    }

    private func device() -> [ScreenLine] {
        let line = details.line
        let state = line.state.state
        var lines = [
            Self.line("id", "\(line.device.id) in \(line.device.node?.text ?? "an unknown node")"),
            Self.line("state", state.power, state.isOn ? .colored(.green) : .plain),
            Self.line("settings", "\(state.settings), \(state.air)"),
            Self.line(
                "presence", "\(line.presence.kind.text), for \(age(since: line.presence.since))",
                TableColumn.style(of: line.presence.kind)),
            Self.line("version", "\(line.state.version), changed \(TimeText.age(line.age)) ago"),
        ]
        if let expected = line.expected {
            lines.insert(
                Self.line("expected", "\(expected ? "on" : "off"); c cancels the toggle", .colored(.yellow)),
                at: 2)
        }
        if let group = details.group {
            let parts = [group.model.rawValue, SafeText.of(group.site), SafeText.of(group.firmware)]
            lines.append(Self.line("model", parts.filter { !$0.isEmpty }.joined(separator: ", ")))
        }
        return lines
    }

    private func room() -> [ScreenLine] {
        guard let measured = details.measured else { return [Self.line("room", "no readings yet", .dim)] }
        let values = measured.measurements
        var lines = [
            Self.line(
                "room",
                "\(values.celsiusText), feels like \(values.feelsLikeCelsius) °C, "
                    + "\(values.humidityPercent) % humidity"),
            Self.line("", "measured \(age(since: measured.at)) ago, signal \(values.rssiDBm) dBm", .dim),
        ]
        let temperatures = details.line.deciCelsius
        if let least = temperatures.min(), let most = temperatures.max() {
            var trend = Self.line(
                "trend", Sparkline.text(of: temperatures, width: temperatures.count), .colored(.cyan))
            trend.append("  \(Double(least) / 10) to \(Double(most) / 10) °C", .dim)
            lines.append(trend)
        }
        return lines
    }

    private func history(_ eastOfUTC: Duration) -> [ScreenLine] {
        let heading = [ScreenLine(), ScreenLine("history", .bold)]
        guard !details.events.isEmpty else {
            return heading + [ScreenLine("no events since the observer started", .dim)]
        }
        return heading
            + details.events.reversed().map { event in
                let (tone, text) = event.described(eastOfUTC: eastOfUTC)
                let time = TimeText.timeOfDay(event.at, eastOfUTC: eastOfUTC).prefix(8)
                var line = ScreenLine("\(time)  ", .dim)
                line.append(text, Style.of(tone))
                return line
            }
    }

    private func age(since time: WallTime) -> String { TimeText.age(time.duration(to: details.now)) }

    private static func line(_ label: String, _ text: String, _ style: Style = .plain) -> ScreenLine {
        var line = ScreenLine(DisplayWidth.fitted(label, to: labelWidth), .dim)
        line.append(text, style)
        return line
    }
}
