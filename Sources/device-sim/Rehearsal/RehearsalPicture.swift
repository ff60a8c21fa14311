import DeviceCore
import Plots
import Wording

/// A rehearsal as a picture: how warm three rooms were, and how many devices were on and online.
struct RehearsalPicture {
    private let record: RehearsalRecord
    private let scenario: Scenario

    /// The picture of a record.
    init(_ record: RehearsalRecord, of scenario: Scenario) {
        self.record = record
        self.scenario = scenario
    }

    /// The picture, as the text of an SVG file.
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
            kinds: (.hours, .between), labels: (words(forHour:), { FigureText.decimal($0, places: 0) }),
            series: inside + [outside])
    }

    private var devices: LinePlot {
        let parts: [(String, KeyPath<RehearsalRecord.Sample, Int>)] = [("on", \.on), ("online", \.connected)]
        let series = parts.map { name, path in
            LinePlot.Series(name: name, points: record.samples.map { (hour($0), Double($0[keyPath: path])) })
        }
        return LinePlot(
            title: "\(scenario.name): devices", axes: ("time of day", "devices"), kinds: (.hours, .linear),
            labels: (words(forHour:), { FigureText.count(Int($0)) }), series: series)
    }

    /// Hours since the midnight before the beginning.
    private func hour(_ sample: RehearsalRecord.Sample) -> Double {
        Double(scenario.clock.start.secondOfDay) / 3_600 + Double(sample.elapsedMs) / 3_600_000
    }

    private func time(ofHour hour: Double) -> Scenario.TimeOfDay {
        Scenario.TimeOfDay.midnight.advanced(bySeconds: hour * 3_600)
    }

    private func words(forHour hour: Double) -> String { time(ofHour: hour).description }
}
