import Plots
import Wording

/// A page with the result of a load: tables and plots, in one file that needs nothing else.
public struct HTMLReport: Sendable {
    let report: LoadReport
    let comparison: LoadComparison?

    /// A page about a report, held against an earlier one where there is a comparison.
    public init(_ report: LoadReport, comparison: LoadComparison? = nil) {
        self.report = report
        self.comparison = comparison
    }

    /// The page.
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
            <p>Measured \(MarkupText.escaped(report.environment.startedAt)). Latency is counted from when a toggle was
            due, so a stall of the fleet shows in full; service from when it left.</p>
            \(sections.filter { !$0.isEmpty }.joined(separator: "\n"))
            </body>
            </html>

            """
    }

    var isSweep: Bool { report.steps.count > 1 }

    private var title: String {
        let load =
            isSweep ? "a sweep of \(report.steps.count) loads" : Self.words(for: report.last.result)
        return report.target == .echo
            ? "Sensibus: self-test of the load tester, \(load)" : "Sensibus: \(load)"
    }

    // MARK: Each load

    private var steps: [String] {
        report.steps.enumerated().map { index, step in
            // Of a sweep the table tells most; each load can be opened.
            guard isSweep else { return section(of: step, comparison) }
            let heading = MarkupText.escaped(Self.words(for: step.result))
            return
                "<details><summary>\(index + 1). \(heading)</summary>\n\(section(of: step, nil))\n</details>"
        }
    }

    private func section(of step: LoadReport.Step, _ comparison: LoadComparison?) -> String {
        let result = step.result
        return [
            verdicts(of: step), warnings(on: result), counts(of: result), "<h2>Time</h2>", times(of: result),
            percentilePlot(of: result, comparison), latencyPlot(of: result), throughputPlot(of: result),
            mix(of: result),
        ].filter { !$0.isEmpty }.joined(separator: "\n")
    }

    /// What a load was, in a line.
    static func words(for result: LoadResult) -> String {
        let plan = result.plan
        let demand = plan.inFlight.map { "\($0) in flight" } ?? FigureText.rate(plan.ratePerSecond ?? 0)
        let arrivals = plan.arrivals.map { ", \($0.rawValue)" } ?? ""
        return
            "\(demand)\(arrivals), \(FigureText.count(plan.devices)) devices, \(plan.connections) connections"
    }

    // MARK: A sweep

    private var sweep: String {
        let rows = report.steps.map { step in
            let latency = step.result.latencyUs
            let missed = step.verdicts.filter { !$0.isMet }.map(\.slo)
            let word =
                step.verdicts.isEmpty
                ? "–" : missed.isEmpty ? "met" : "missed " + missed.joined(separator: " ")
            return [
                FigureText.rate(step.result.plan.ratePerSecond ?? 0),
                FigureText.rate(step.result.throughputPerSecond), FigureText.count(step.result.failed),
            ] + [latency.p50, latency.p99, latency.p999, latency.max].map { FigureText.time(us: $0) } + [word]
        }
        let headings = ["rate", "applied", "failed", "p50", "p99", "p99.9", "max", "objectives"]
        return HTMLTable.of(headings, rows) + "\n" + sweepPlot
    }

    private var sweepPlot: String {
        let parts: [(String, KeyPath<LatencyFigures, Double?>)] = [
            ("p50", \.p50), ("p99", \.p99), ("p99.9", \.p999),
        ]
        let series = parts.map { name, path in
            LinePlot.Series(
                name: name,
                points: report.steps.compactMap { step in
                    guard let us = step.result.latencyUs[keyPath: path] else { return nil }
                    return (step.result.offeredPerSecond, us)
                })
        }
        return LinePlot(
            title: "Latency by rate", axes: ("offered", "latency"), kinds: (.linear, .logarithmic),
            labels: (FigureText.rate, { FigureText.time(us: $0) }), series: series
        ).html
    }
}
