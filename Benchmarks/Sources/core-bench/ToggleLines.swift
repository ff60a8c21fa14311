/// Toggles of a durable fleet of real processes.
enum ToggleLines {
    private static let devices = 2_000
    private static let rounds = 5

    /// The lines of the table.
    ///
    /// - Parameter executables: The directory of `fleet`, `controller` and `device-sim`.
    static func measure(_ executables: String, in directory: BenchDirectory) async throws -> [Line] {
        let fleet = try await BenchFleet.start(executables, devices: devices, in: directory)
        let lines: Result<[Line], any Error>
        do { lines = .success(try measure(fleet, directory)) } catch { lines = .failure(error) }
        try await fleet.stop()
        return try lines.get()
    }

    private static func measure(_ fleet: BenchFleet, _ directory: BenchDirectory) throws -> [Line] {
        let bare = FourHops(inFlight: 1, messages: 4_000)
        var bareRuns: [Double] = []
        var ours: [Double] = []
        for _ in 0..<rounds {
            bareRuns.append(try bare.bare(in: directory).medianUs)
            ours.append(try load(.inFlight(1, toggles: 4_000), fleet).medianUs)
        }
        let (baseline, single) = (Measuring.median(bareRuns), Measuring.median(ours))
        var rates: [Double] = []
        for _ in 0..<rounds {
            rates.append(try load(.inFlight(1_000, toggles: 200_000), fleet).perSecond)
        }
        let minute = try load(.rate(perSecond: 20_000, for: .seconds(60)), fleet)
        guard minute.secondsTold >= 100 else { throw BenchFailure.noAnswer }
        return [
            Line(
                what: "toggle, durable, 1 in flight, p50", measured: "\(Line.text(single, 1)) µs",
                baseline: "\(Line.text(baseline, 1)) µs", ratio: Line.text(baseline / single, 2),
                target: "≤ 1.3 × bare", isMet: single <= 1.3 * baseline),
            Line(
                what: "toggles, durable, 1000 in flight",
                measured: "\(Line.text(Measuring.median(rates), 0)) /s", target: "≥ 60000 /s",
                isMet: Measuring.median(rates) >= 60_000),
            Line(
                what: "20000 toggles a second for a minute, applied",
                measured: "\(Line.text(minute.perSecond, 0)) /s, p50 \(Line.text(minute.medianUs, 0)) µs",
                target: "all", isMet: minute.surprises.isEmpty),
            .bounded(
                "the same, longest time the controller's loop was away",
                Double(minute.longestTurnUs) / 1_000, atMost: 20, digits: 1, unit: "ms"),
        ]
    }

    private static func load(_ demand: ToggleLoad.Demand, _ fleet: BenchFleet) throws -> ToggleLoad.Figures {
        let figures = try ToggleLoad.run(demand, on: fleet)
        let (rate, median) = (Line.text(figures.perSecond, 0), Line.text(figures.medianUs, 1))
        Progress.tell("\(demand): \(rate)/s, p50 \(median) µs; \(figures.parts)")
        if let surprise = figures.surprises.first {
            Progress.tell("\(figures.surprises.count) toggles ended otherwise, such as: \(surprise)")
        }
        guard !figures.took.isEmpty else { throw BenchFailure.noAnswer }
        return figures
    }
}
