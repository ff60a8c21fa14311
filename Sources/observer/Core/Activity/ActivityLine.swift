import FleetProtocol
import UserText

/// The line with counts since the observer started, and plots of the last minute: the pieces that fit.
enum ActivityLine {
    /// The width of a plot on a screen of at least that width, in columns.
    private static let wide = (screen: 110, plot: 16)
    private static let narrowPlot = 6

    static func line(of activity: Activity, width: Int) -> ScreenLine {
        let plot = width >= wide.screen ? wide.plot : narrowPlot
        let minutes = Int(activity.offline.wholeMilliseconds / 60_000)
        let intervals = activity.plotted
        var line = ScreenLine("applied \(FigureText.count(activity.applied))")
        let pieces = [
            failures(of: activity, width: width),
            ScreenLine("offline \(FigureText.count(minutes)) min", minutes > 0 ? .colored(.yellow) : .plain),
            rate(of: intervals.map(\.applied), plot), latency("p99", intervals.map(\.p99Us), plot),
            latency("p50", intervals.map(\.p50Us), plot),
        ]
        for piece in pieces where line.width + 2 + piece.width <= width {
            line.append("  ")
            for span in piece.spans { line.append(span.text, span.style) }
        }
        return line
    }

    private static func failures(of activity: Activity, width: Int) -> ScreenLine {
        let total = activity.failures.reduce(0, +)
        guard total > 0 else { return ScreenLine("failed 0") }
        var line = ScreenLine("failed \(FigureText.count(total))", .colored(.red))
        let reasons = zip(Activity.failureNames, activity.failures).filter { $0.1 > 0 }
        let text = reasons.map { "\(FigureText.count($0.1)) \($0.0)" }.joined(separator: ", ")
        if width >= wide.screen { line.append(" (\(text))", .dim) }
        return line
    }

    private static func rate(of values: [Int], _ plot: Int) -> ScreenLine {
        piece("", values, plot, FigureText.rate(Double(values.last ?? 0)))
    }

    private static func latency(_ name: String, _ values: [Int], _ plot: Int) -> ScreenLine {
        let last = values.last { $0 > 0 }
        return piece(
            "\(name) ", values, plot, last.map { TimeText.span(microseconds: UInt64($0)) } ?? "– ms")
    }

    private static func piece(_ name: String, _ values: [Int], _ plot: Int, _ text: String) -> ScreenLine {
        var line = ScreenLine(name, .dim)
        line.append(Sparkline.text(ofCounts: values, width: plot), .colored(.cyan))
        line.append(values.isEmpty ? text : " \(text)")
        return line
    }
}
