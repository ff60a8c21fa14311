public import FleetProtocol
import UserText

public struct LoadScreen: Sendable {
    private struct Second: Sendable {
        let applied: Double
        /// The 99th percentile of their latencies, microseconds; nil without any.
        let p99: Double?
    }

    /// The number of seconds that the plots show at most.
    private static let plottedSeconds = 60
    /// The shortest time between two reports for which a rate is shown.
    private static let leastInterval: Duration = .milliseconds(500)
    /// The columns of a plot's name, and of its highest value.
    private static let (nameWidth, peakWidth) = (9, 15)
    /// The width from which plots have their highest value.
    private static let peakLeastWidth = 60
    /// The columns of a latency, so that the table does not change its width each second.
    private static let latencyWidth = 7
    private static let wanted: Set<String> = ["applied", "cancelled"]

    /// What runs, such as `run 2 of 7, 1,000/s`.
    private let title: String
    /// Whether the progress is that of several testers, which do not report outcomes.
    private let isShared: Bool
    private var latest: LoadProgress?
    /// The progress at the last second of the plots.
    private var counted: LoadProgress?
    /// The rates of offered and applied toggles in the last second; nil before the first one.
    private var rates: (offered: Double, applied: Double)?
    private var seconds: [Second] = []

    public init(title: String, isShared: Bool = false) { (self.title, self.isShared) = (title, isShared) }

    /// Takes the progress of a second; time that goes backwards is that of another load.
    public mutating func receive(_ progress: LoadProgress) {
        if let latest, progress.elapsed < latest.elapsed {
            self = LoadScreen(title: title, isShared: isShared)
        }
        latest = progress
        let before = counted ?? progress
        // The totals of the measurement begin at 0, like its time.
        let isFirst = before.elapsed < .zero && progress.elapsed >= .zero
        let interval = progress.elapsed - (isFirst ? .zero : before.elapsed)
        guard interval >= Self.leastInterval else { return counted = counted ?? progress }
        counted = progress
        let count = { (number: KeyPath<LoadProgress.Totals, Int>) in
            let base = isFirst ? 0 : before.totals[keyPath: number]
            return Double(progress.totals[keyPath: number] - base) / (interval / .seconds(1))
        }
        let now = (offered: count(\.offered), applied: count(\.applied))
        rates = now
        seconds.append(Second(applied: now.applied, p99: progress.totals.recent.p99))
        if seconds.count > Self.plottedSeconds { seconds.removeFirst() }
    }

    /// Returns the lines, cut to a width in columns; none before the first progress.
    public func lines(width: Int) -> [String] {
        guard let latest, let counted else { return [] }
        let rate = { (rate: Double?) in rate.map { FigureText.rate($0) } ?? "–" }
        let heading = [title, latest.place].filter { !$0.isEmpty }.joined(separator: ": ")
        let counts = [
            "offered \(rate(rates?.offered))", "applied \(rate(rates?.applied))",
            "\(FigureText.count(latest.inFlight)) in flight",
        ]
        let lines =
            Self.wrapped([heading], in: width) + Self.wrapped(counts, in: width)
            + latencies(counted.totals.recent, latest.totals.whole) + [
                "errors   \(errors(of: latest.totals))"
            ]
            + plots(in: width)
        return lines.map { DisplayWidth.of($0) > width ? DisplayWidth.fitted($0, to: width) : $0 }
    }

    /// Returns pieces on as few lines as the width permits.
    private static func wrapped(_ pieces: [String], in width: Int) -> [String] {
        var lines: [String] = []
        for piece in pieces {
            if let last = lines.last, DisplayWidth.of(last) + 2 + DisplayWidth.of(piece) <= width {
                lines[lines.count - 1] = "\(last)  \(piece)"
            } else {
                lines.append(piece)
            }
        }
        return lines
    }

    /// The latencies; of several testers only the highest ones are known.
    private func latencies(_ recent: LatencyFigures, _ whole: LatencyFigures) -> [String] {
        func padded(_ text: String) -> String {
            DisplayWidth.blanks(Self.latencyWidth - DisplayWidth.of(text)) + text
        }
        func row(_ name: String, _ figures: [Double?]) -> [String] {
            [name] + figures.map { FigureText.time(us: $0) }
        }
        let names = isShared ? ["P50", "P99"] : ["P50", "P99", "P99.9"]
        var table = TextTable([("LATENCY", .left)] + names.map { (padded($0), .right) })
        if isShared {
            table.add(row("last second, at most", [recent.p50, recent.p99]))
        } else {
            table.add(row("last second", [recent.p50, recent.p99, recent.p999]))
            table.add(row("since start", [whole.p50, whole.p99, whole.p999]))
        }
        return table.lines
    }

    /// The outcomes that are errors, the most frequent first.
    private func errors(of totals: LoadProgress.Totals) -> String {
        guard !isShared else { return FigureText.count(totals.failed) }
        let errors = totals.outcomes.filter { !Self.wanted.contains($0.key) }
            .sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        let texts = errors.map { "\(SafeText.of($0.key)) \(FigureText.count($0.value))" }
        return texts.isEmpty ? "none" : texts.joined(separator: ", ")
    }

    /// The rate and the latency of the last minute, or of the seconds that fit the width.
    private func plots(in width: Int) -> [String] {
        let hasPeak = width >= Self.peakLeastWidth
        let room = max(0, width - Self.nameWidth - (hasPeak ? Self.peakWidth : 0))
        let shown = Array(seconds.suffix(room))
        guard let most = shown.map(\.applied).max() else { return [] }
        let rates = Sparkline.text(ofCounts: shown.map { Int($0.applied.rounded()) }, width: room)
        let times = Sparkline.text(ofCounts: shown.map { Int($0.p99 ?? 0) }, width: room)
        // A second without a latency is a gap.
        let latencies = String(zip(times, shown).map { $1.p99 == nil ? " " : $0 })
        let longest = FigureText.time(us: shown.compactMap(\.p99).max())
        return [
            "applied  \(rates)" + (hasPeak ? "  max \(FigureText.rate(most))" : ""),
            "p99      \(latencies)" + (hasPeak ? "  max \(longest)" : ""),
        ]
    }
}

extension LoadProgress {
    /// The progress of several testers: the sums of their counts, and the highest of their latencies. The
    /// elapsed time is since the measurement began; negative during the warm-up.
    public init(of testers: [TesterProgress], elapsed: Duration, duration: Duration) {
        func sum(_ count: KeyPath<TesterProgress, UInt64>) -> Int {
            Int(clamping: testers.reduce(UInt64(0)) { $0 &+ $1[keyPath: count] })
        }
        func highest(_ latency: KeyPath<TesterProgress, UInt64>) -> Double? {
            testers.map { $0[keyPath: latency] }.filter { $0 > 0 }.max().map { Double($0) }
        }
        self.init(
            elapsed: elapsed, duration: duration, inFlight: testers.reduce(0) { $0 + Int($1.inFlight) },
            totals: Totals(
                offered: sum(\.offered), applied: sum(\.applied), failed: sum(\.failed), outcomes: [:],
                recent: LatencyFigures(
                    count: 0, mean: nil, p50: highest(\.p50Us), p90: nil, p99: highest(\.p99Us), p999: nil,
                    max: nil),
                whole: .none))
    }

    /// The time of the load: `warm-up`, or `3s of 10s`.
    public var place: String {
        guard elapsed >= .zero else { return "warm-up" }
        let seconds = min(elapsed, duration).components.seconds
        return "\(DurationText.text(.seconds(seconds))) of \(DurationText.text(duration))"
    }
}
