import DeviceCore
import FleetProtocol
import UserText

/// The table of a rehearsal for people, a line for each simulated hour.
struct RehearsalTable {
    private static let hourMs: Int64 = 3_600_000

    private let record: RehearsalRecord
    private let startMs: Int64

    init(_ record: RehearsalRecord, of scenario: Scenario) {
        self.record = record
        startMs = Int64(scenario.clock.start.secondOfDay) * 1_000
    }

    /// The lines; the last one has the totals.
    var lines: [String] {
        var table = TextTable(
            [
                ("TIME", .left), ("ON", .right), ("ONLINE", .right), ("CHANGES", .right),
                ("MEASUREMENTS", .right), ("CRASHES", .right),
            ] + record.rooms.map { (SafeText.of($0.name), .right) })
        var (since, all) = (RehearsalRecord.Events(), RehearsalRecord.Events())
        for (place, sample) in record.samples.enumerated() {
            since += sample.events
            all += sample.events
            let isLast = place == record.samples.count - 1
            guard isLast || sample.elapsedMs % Self.hourMs == 0 else { continue }
            table.add(cells(of: sample, since))
            since = RehearsalRecord.Events()
        }
        let sum =
            "\(FigureText.count(all.changes)) changes, \(FigureText.count(all.measurements)) measurements, "
            + "the node crashed \(Count.of(all.crashes, "time"))"
        return table.lines + ["", sum]
    }

    private func cells(of sample: RehearsalRecord.Sample, _ events: RehearsalRecord.Events) -> [String] {
        let time = TimeText.timeOfDay(WallTime(unixMilliseconds: startMs + sample.elapsedMs))
        return [
            String(time.prefix(5)), FigureText.count(sample.on), FigureText.count(sample.connected),
            FigureText.count(events.changes), FigureText.count(events.measurements),
            FigureText.count(events.crashes),
        ] + sample.celsius.map { "\($0) °C" }
    }
}

extension RehearsalRecord.Events {
    fileprivate static func += (sum: inout Self, more: Self) {
        sum.changes += more.changes
        sum.measurements += more.measurements
        sum.crashes += more.crashes
    }
}

/// A plot of a rehearsal: the temperature of three rooms, and the numbers of devices that are on and online.
struct RehearsalPicture {
    private let record: RehearsalRecord
    private let scenario: Scenario

    init(_ record: RehearsalRecord, of scenario: Scenario) {
        (self.record, self.scenario) = (record, scenario)
    }

    var svg: String { PlotSheet([rooms, devices]).svg }

    private var rooms: LinePlot {
        let inside = record.rooms.enumerated().map { place, room in
            LinePlot.Series(
                name: SafeText.of(room.name), points: record.samples.map { (hour($0), $0.celsius[place]) })
        }
        let outside = LinePlot.Series(
            name: "outside",
            points: record.samples.map { sample in
                (hour(sample), scenario.weather.celsius(at: time(ofHour: hour(sample))))
            })
        return LinePlot(
            title: "\(scenario.name): temperature in three of the rooms", axes: ("time of day", "°C"),
            kinds: (.hours, .between), labels: (text(forHour:), { FigureText.decimal($0, places: 0) }),
            series: inside + [outside])
    }

    private var devices: LinePlot {
        let parts: [(String, KeyPath<RehearsalRecord.Sample, Int>)] = [("on", \.on), ("online", \.connected)]
        let series = parts.map { name, path in
            LinePlot.Series(name: name, points: record.samples.map { (hour($0), Double($0[keyPath: path])) })
        }
        return LinePlot(
            title: "\(scenario.name): devices", axes: ("time of day", "devices"), kinds: (.hours, .linear),
            labels: (text(forHour:), { FigureText.count(Int($0)) }), series: series)
    }

    /// Returns the hours since the midnight before the start.
    private func hour(_ sample: RehearsalRecord.Sample) -> Double {
        Double(scenario.clock.start.secondOfDay) / 3_600 + Double(sample.elapsedMs) / 3_600_000
    }

    private func time(ofHour hour: Double) -> Scenario.TimeOfDay {
        Scenario.TimeOfDay.midnight.advanced(bySeconds: hour * 3_600)
    }

    private func text(forHour hour: Double) -> String { time(ofHour: hour).description }
}
