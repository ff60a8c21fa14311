import FleetProtocol
import FleetReplica
import UserText

/// The details of one device: its state, its room, its automation, its last posts and its latest events.
struct DevicePage {
    struct Details {
        let line: ScreenContent.Row
        let group: DeviceGroup?
        /// Nil for a device without any.
        let settings: DeviceSettings?
        let measured: SnapshotChunk.Measured?
        /// The times of the last applied toggles, oldest first, microseconds.
        let togglesUs: [UInt32]
        let posts: [(text: String, style: Style)]
        /// Oldest first.
        let events: [HistoryEvent]
        let now: WallTime
    }

    private static let labelWidth = 10

    private let details: Details
    /// The width of the page in columns; longer lines continue on the next one.
    private let width: Int
    /// The offset of local time from UTC, positive to the east.
    private let eastOfUTC: Duration

    init(_ details: Details, width: Int, eastOfUTC: Duration) {
        (self.details, self.width, self.eastOfUTC) = (details, width, eastOfUTC)
    }

    var lines: [ScreenLine] {
        [ScreenLine(details.line.device.label, .bold)]
            + device + room + automation + toggles + posts + history
    }

    private var device: [ScreenLine] {
        let line = details.line
        let state = line.state.state
        var lines = value("id", "\(line.device.id) in \(line.device.node?.text ?? "an unknown node")")
        lines += value("state", state.power, state.isOn ? .colored(.green) : .plain)
        if let expected = line.expected {
            lines += value("expected", "\(expected ? "on" : "off"); c cancels the toggle", .colored(.yellow))
        }
        lines += value("settings", "\(state.settings), \(state.air)")
        lines += value(
            "presence", "\(line.presence.kind.text), for \(age(since: line.presence.since))",
            TableColumn.style(of: line.presence.kind))
        lines += value("version", "\(line.state.version), changed \(TimeText.age(line.age)) ago")
        if let group = details.group {
            let parts = [group.model.rawValue, SafeText.of(group.site), SafeText.of(group.firmware)]
            lines += value("model", parts.filter { !$0.isEmpty }.joined(separator: ", "))
        }
        return lines
    }

    private var room: [ScreenLine] {
        guard let measured = details.measured else { return value("room", "no readings yet", .dim) }
        let values = measured.measurements
        var lines = value(
            "room",
            "\(values.celsiusText), feels like \(values.feelsLikeCelsius) °C, "
                + "\(values.humidityPercent) % humidity")
        lines += value("", "measured \(age(since: measured.at)) ago, signal \(values.rssiDBm) dBm", .dim)
        let temperatures = details.line.deciCelsius
        if let least = temperatures.min(), let most = temperatures.max() {
            let plot = Sparkline.text(of: temperatures, width: width - Self.labelWidth)
            var trend = Self.labelled("trend", plot, .colored(.cyan))
            let range = "  \(Double(least) / 10) to \(Double(most) / 10) °C"
            if trend.width + DisplayWidth.of(range) <= width {
                trend.append(range, .dim)
                lines.append(trend)
            } else {
                lines += [trend] + value("", String(range.dropFirst(2)), .dim)
            }
        }
        return lines
    }

    /// Timer, schedules, Climate React and the filter. Climate React is that of the group until the device
    /// has its own.
    private var automation: [ScreenLine] {
        var settings = details.settings ?? DeviceSettings()
        settings.climateReact = settings.climateReact ?? details.group?.climateReact
        let parts = settings.parts(at: details.now) { TimeText.local($0, eastOfUTC: eastOfUTC) }
        guard !parts.isEmpty else { return value("automatic", "no timer, schedule or Climate React", .dim) }
        return parts.enumerated().flatMap { place, text in value(place == 0 ? "automatic" : "", text) }
    }

    private var toggles: [ScreenLine] {
        guard !details.togglesUs.isEmpty else {
            return value("toggles", "none applied since the observer started", .dim)
        }
        let spans = details.togglesUs.reversed().map { TimeText.span(microseconds: UInt64($0)) }
        return value("toggles", spans.joined(separator: ", ") + (spans.count > 1 ? " (last first)" : ""))
    }

    private var posts: [ScreenLine] {
        details.posts.enumerated().flatMap { place, post in
            value(place == 0 ? "logbook" : "", post.text, post.style)
        }
    }

    private var history: [ScreenLine] {
        let heading = [ScreenLine(), ScreenLine("history", .bold)]
        guard !details.events.isEmpty else {
            return heading + [ScreenLine("no events since the observer started", .dim)]
        }
        return heading
            + details.events.reversed().flatMap { event in
                let (tone, text) = event.described(eastOfUTC: eastOfUTC)
                let time = TimeText.timeOfDay(event.at, eastOfUTC: eastOfUTC).prefix(8)
                return value(String(time), text, Style.of(tone))
            }
    }

    private func age(since time: WallTime) -> String { TimeText.age(time.duration(to: details.now)) }

    /// Returns a label with a text beside it, on as many lines as the text needs.
    private func value(_ label: String, _ text: String, _ style: Style = .plain) -> [ScreenLine] {
        let lines = WrappedText.lines(of: text, in: max(1, width - Self.labelWidth))
        return lines.enumerated().map { Self.labelled($0 == 0 ? label : "", $1, style) }
    }

    private static func labelled(_ label: String, _ text: String, _ style: Style) -> ScreenLine {
        var line = ScreenLine(DisplayWidth.fitted(label, to: labelWidth), .dim)
        line.append(text, style)
        return line
    }
}
