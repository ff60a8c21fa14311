import UserText

/// A page with the result of a load: tables and plots in one self-contained file.
public struct HTMLReport: Sendable {
    let report: LoadReport
    let comparison: LoadComparison?

    public init(_ report: LoadReport, comparison: LoadComparison? = nil) {
        (self.report, self.comparison) = (report, comparison)
    }

    public var text: String {
        let sections = (isSweep ? [sweep] : []) + steps + [comparisonSection, environmentSection]
        return """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width, initial-scale=1">
            <title>\(MarkupText.escaped(title))</title>
            <style>
            \(Self.style)
            </style>
            </head>
            <body>
            <h1>\(MarkupText.escaped(title))</h1>
            <p>Measured \(MarkupText.escaped(report.environment.startedAt)). Latency is measured from the time when
            a toggle was due, so a stall of the fleet shows in full; service from when it was sent.</p>
            \(sections.filter { !$0.isEmpty }.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    var isSweep: Bool { report.steps.count > 1 }

    private var title: String {
        let text = Self.text(for: report.last.result)
        let load =
            report.isRepeated
            ? "\(report.steps.count) runs, \(text)"
            : isSweep ? "a sweep of \(report.steps.count) loads" : text
        return switch report.target {
        case .fleet: "Sensibus: \(load)"
        case .http: "Sensibus over HTTP: \(load)"
        case .echo: "Sensibus: self-test of the load tester, \(load)"
        }
    }

    // MARK: Each load

    private var steps: [String] {
        report.steps.enumerated().map { index, step in
            // The table of a sweep comes first; the details of each load are collapsed below it.
            guard isSweep else { return section(of: step, comparison) }
            let heading = MarkupText.escaped(Self.text(for: step.result))
            return
                "<details><summary>\(index + 1). \(heading)</summary>\n\(section(of: step, nil))\n</details>"
        }
    }

    private func section(of step: LoadReport.Step, _ comparison: LoadComparison?) -> String {
        let result = step.result
        return [
            objectiveResults(of: step), warnings(on: result), counts(of: result), "<h2>Time</h2>",
            times(of: result),
            percentilePlot(of: result, comparison), latencyPlot(of: result), throughputPlot(of: result),
            kinds(of: result), mix(of: result), testers(of: result),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    static func text(for result: LoadResult) -> String {
        let plan = result.plan
        let arrivals = plan.arrivals.map { ", \($0.rawValue)" } ?? ""
        return
            "\(result.demandText)\(arrivals), \(FigureText.count(plan.devices)) devices, \(plan.connections) connections"
    }

    // MARK: A sweep

    private var sweep: String {
        let rows = report.steps.enumerated().map { index, step in
            let latency = step.result.latencyUs
            let missed = step.objectiveResults.filter { !$0.isMet }.map(\.slo)
            let word =
                step.objectiveResults.isEmpty
                ? "–" : missed.isEmpty ? "met" : "missed " + missed.joined(separator: " ")
            let lost = step.result.lostTesters.map { ", lost \($0)" }.joined()
            return [
                report.isRepeated
                    ? "\(index + 1)" : FigureText.rate(step.result.plan.ratePerSecond ?? 0),
                FigureText.rate(step.result.throughputPerSecond), FigureText.count(step.result.failed),
            ] + [latency.p50, latency.p99, latency.p999, latency.max].map { FigureText.time(us: $0) }
                + [word + lost]
        }
        let headings = [
            report.isRepeated ? "run" : "rate", "applied", "failed", "p50", "p99", "p99.9", "max",
            "objectives",
        ]
        return HTMLTable.of(headings, rows) + "\n" + sweepPlot
    }

    private var sweepPlot: String {
        let parts: [(String, KeyPath<LatencyFigures, Double?>)] = [
            ("p50", \.p50), ("p99", \.p99), ("p99.9", \.p999),
        ]
        let series = parts.map { name, path in
            LinePlot.Series(
                name: name,
                points: report.steps.enumerated().compactMap { index, step in
                    guard let us = step.result.latencyUs[keyPath: path] else { return nil }
                    return (report.isRepeated ? Double(index + 1) : step.result.offeredPerSecond, us)
                })
        }
        let isRepeated = report.isRepeated
        return LinePlot(
            title: isRepeated ? "Latency by run" : "Latency by rate",
            axes: (isRepeated ? "run" : "offered (toggles/s)", "latency (µs, ms, s)"),
            kinds: (.linear, .logarithmic),
            labels: ({ isRepeated ? Self.whole($0) : FigureText.rate($0) }, { FigureText.time(us: $0) }),
            series: series
        ).html
    }
}

enum HTMLTable {
    static func of(_ headings: [String], _ rows: [[String]]) -> String {
        let head = headings.map { "<th scope=\"col\">\(MarkupText.escaped($0))</th>" }.joined()
        let body = rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index == 0
                    ? "<th scope=\"row\">\(MarkupText.escaped(cell))</th>"
                    : "<td>\(MarkupText.escaped(cell))</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        return """
            <table><thead><tr>\(head)</tr></thead><tbody>
            \(body.joined(separator: "\n"))
            </tbody></table>
            """
    }
}

extension HTMLReport {
    /// The style sheet, with a light and a dark colour scheme.
    static let style = """
        :root { color-scheme: light dark; --ink: #1b1f24; --paper: #fff; --soft: #667; --rule: #dde; --good: #17803d;
          --bad: #c0262d; --s0: #1f6feb; --s1: #d9730d; --s2: #9333ca; --s3: #667; }
        @media (prefers-color-scheme: dark) {
          :root { --ink: #e6e9ee; --paper: #14171c; --soft: #99a; --rule: #2d333b; --good: #4ac26b; --bad: #ff7b72;
            --s0: #6cb6ff; --s1: #f0a35e; --s2: #c297ff; --s3: #99a; }
        }
        body { font: 15px/1.5 system-ui, sans-serif; color: var(--ink); background: var(--paper);
          max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
        h1 { font-size: 1.5rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
        table { border-collapse: collapse; margin: .5rem 0; font-variant-numeric: tabular-nums; }
        th, td { padding: .2rem .7rem; border-bottom: 1px solid var(--rule); text-align: right; }
        th:first-child, td.words { text-align: left; } th { font-weight: 600; }
        thead th { color: var(--soft); } tbody th { font-weight: 400; }
        figure { margin: 1rem 0; overflow-x: auto; } figcaption { color: var(--soft); }
        svg { width: 100%; min-width: 30rem; height: auto; }
        svg line { stroke: var(--rule); } svg text { fill: var(--soft); font-size: 11px; }
        polyline { fill: none; stroke-width: 1.8; stroke-linejoin: round; }
        polyline.s0 { stroke: var(--s0); } polyline.s1 { stroke: var(--s1); } polyline.s2 { stroke: var(--s2); }
        polyline.s3 { stroke: var(--s3); stroke-dasharray: 5 4; }
        circle.s0 { fill: var(--s0); } circle.s1 { fill: var(--s1); } circle.s2 { fill: var(--s2); }
        circle.s3 { fill: var(--s3); }
        .legend { list-style: none; display: flex; flex-wrap: wrap; gap: 1.2rem; padding: 0; margin: 0; }
        .legend li::before { content: "━ "; } .legend .s0::before { color: var(--s0); }
        .legend .s1::before { color: var(--s1); } .legend .s2::before { color: var(--s2); }
        .legend .s3::before { color: var(--s3); }
        .met { color: var(--good); } .missed, .warning { color: var(--bad); }
        """

    /// The most points of a line; a longer series keeps the highest point of each stretch.
    private static let pointsAtMost = 600

    func percentilePlot(of result: LoadResult, _ comparison: LoadComparison?) -> String {
        var series = [
            LinePlot.Series(name: "latency", points: Self.points(result.distribution)),
            LinePlot.Series(name: "service", points: Self.points(result.serviceDistribution)),
        ]
        if let before = comparison?.before {
            // Only this plot uses the third colour for the earlier load.
            series.append(LinePlot.Series(name: "latency before", points: Self.points(before.distribution)))
        }
        return LinePlot(
            title: "Latency by percentile", axes: ("percentile (%)", "latency (µs, ms, s)"),
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
            title: "Latency over time, by the second in which a toggle was due",
            axes: ("time since the start (s)", "latency (µs, ms, s)"),
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
                points: Self.thinned(result.perSecond.map { (Double($0.second), Double($0[keyPath: path])) }))
        }
        return LinePlot(
            title: "Toggles over time", axes: ("time since the start (s)", "toggles/s"),
            kinds: (.linear, .linear),
            labels: (Self.whole, Self.whole), series: series
        ).html
    }

    /// Returns the points of a distribution; a 100th percentile is moved to 100 - 100 / count, below 100.
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

    private static func whole(_ number: Double) -> String { FigureText.count(Int(number.rounded())) }
}
