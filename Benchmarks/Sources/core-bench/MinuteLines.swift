import CoreParts
import Glibc
import ProcessSupport

/// A minute of a durable fleet of real processes at a constant rate.
enum MinuteLines {
    private static let perSecond = 20_000

    /// The lines of the table.
    ///
    /// - Parameter executables: The directory of `fleet`, `controller` and `device-sim`.
    static func measure(_ executables: String, in directory: BenchDirectory) async throws -> [Line] {
        // Earlier measurements have left dirty pages, which must not be written during this minute.
        sync()
        let minute = try await BenchFleet.run(executables, [.process], in: directory) { fleets in
            try ToggleLoad.run(perSecond: perSecond, for: .seconds(60), on: fleets[0])
        }
        if let surprise = minute.surprises.first {
            Progress.report("\(minute.surprises.count) toggles were not applied, for example: \(surprise)")
        }
        Progress.report("a minute at \(perSecond) a second: \(minute.parts)")
        guard !minute.took.isEmpty, minute.reportedSeconds >= 100 else { throw BenchFailure.noReply }
        let (rate, median) = (Line.text(minute.perSecond, 0), Line.text(minute.medianUs, 0))
        return [
            Line(
                what: "\(perSecond) toggles a second for a minute, applied",
                measured: "\(rate) /s, p50 \(median) µs", target: "all", isMet: minute.surprises.isEmpty),
            .bounded(
                "the same, longest time the controller's loop was away",
                Double(minute.longestTurnUs) / 1_000, atMost: 10, digits: 1, unit: "ms"),
        ]
    }
}
