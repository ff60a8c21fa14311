import DeviceCore
import FleetProtocol
import Stepping
import Wording

/// A rehearsal for people, a line for each simulated hour.
struct RehearsalTable {
    private static let hourMs: Int64 = 3_600_000

    private let record: RehearsalRecord
    private let startMs: Int64

    /// The table of a record.
    init(_ record: RehearsalRecord, of scenario: Scenario) {
        self.record = record
        startMs = Int64(scenario.clock.start.secondOfDay) * 1_000
    }

    /// Its lines, the last one with the sums.
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
            + "the node died \(Count.of(all.crashes, "time"))"
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
