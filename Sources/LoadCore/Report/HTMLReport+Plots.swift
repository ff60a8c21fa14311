import Plots
import Wording

/// The plots of one load.
extension HTMLReport {
    /// Points of a line at most; of a longer series the highest of each stretch is shown.
    private static let pointsAtMost = 600

    func percentilePlot(of result: LoadResult, _ comparison: LoadComparison?) -> String {
        var series = [
            LinePlot.Series(name: "latency", points: Self.points(result.distribution)),
            LinePlot.Series(name: "service", points: Self.points(result.serviceDistribution)),
        ]
        if let before = comparison?.before {
            // The third colour is the earlier load's in no other plot.
            series.append(LinePlot.Series(name: "latency before", points: Self.points(before.distribution)))
        }
        return LinePlot(
            title: "Latency by percentile", axes: ("percentile", "latency"),
            kinds: (.percentile, .logarithmic),
            labels: (Self.percentile, { FigureText.time(us: $0) }), series: series
        ).html
    }

    func latencyPlot(of result: LoadResult) -> String {
        let parts: [(String, KeyPath<LoadSecond, Double?>)] = [
            ("p50", \.p50Us), ("p99", \.p99Us), ("max", \.maxUs),
        ]
        let series = parts.map { name, path in
            LinePlot.Series(
                name: name,
                points: Self.thinned(
                    result.perSecond.compactMap { second in
                        second[keyPath: path].map { (Double(second.second), $0) }
                    }))
        }
        return LinePlot(
            title: "Latency over time, by the second in which a toggle was due", axes: ("seconds", "latency"),
            kinds: (.linear, .logarithmic), labels: (Self.whole, { FigureText.time(us: $0) }), series: series
        ).html
    }

    func throughputPlot(of result: LoadResult) -> String {
        let parts: [(String, KeyPath<LoadSecond, Int>)] = [
            ("offered", \.offered), ("applied", \.applied), ("failed", \.failed),
        ]
        let series = parts.map { name, path in
            LinePlot.Series(
                name: name,
                points: Self.thinned(
                    result.perSecond.map { (Double($0.second), Double($0[keyPath: path])) }))
        }
        return LinePlot(
            title: "Toggles over time", axes: ("seconds", "a second"), kinds: (.linear, .linear),
            labels: (Self.whole, Self.whole), series: series
        ).html
    }

    /// The points below the 100th percentile; the longest stands where one in all lies.
    private static func points(_ distribution: [DistributionPoint]) -> [(x: Double, y: Double)] {
        distribution.map { point in
            (point.percentile < 100 ? point.percentile : 100 - 100 / Double(max(2, point.count)), point.us)
        }
    }

    private static func thinned(_ points: [(x: Double, y: Double)]) -> [(x: Double, y: Double)] {
        let stretch = (points.count + pointsAtMost - 1) / pointsAtMost
        guard stretch > 1 else { return points }
        return stride(from: 0, to: points.count, by: stretch).map { start in
            let part = points[start..<min(start + stretch, points.count)]
            return part.reduce(part[start]) { $1.y > $0.y ? $1 : $0 }
        }
    }

    private static func percentile(_ percentile: Double) -> String {
        var places = 0
        while places < 6, FigureText.decimal(percentile, places: places).hasPrefix("100") { places += 1 }
        return FigureText.decimal(percentile, places: places) + " %"
    }

    private static func whole(_ number: Double) -> String {
        FigureText.count(Int(number.rounded()))
    }
}
