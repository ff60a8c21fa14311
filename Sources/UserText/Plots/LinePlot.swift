import CMath

public struct LinePlot {
    public struct Series {
        let name: String
        let points: [(x: Double, y: Double)]

        public init(name: String, points: [(x: Double, y: Double)]) {
            (self.name, self.points) = (name, points)
        }
    }

    static let (width, height) = (720.0, 300.0)
    private static let (left, right, top, bottom) = (64.0, 24.0, 12.0, 44.0)
    /// The maximum number of points of a line whose points are marked.
    private static let markedPoints = 40

    let title: String
    let axes: (x: String, y: String)
    let kinds: (x: PlotScale.Kind, y: PlotScale.Kind)
    let labels: (x: (Double) -> String, y: (Double) -> String)
    let series: [Series]

    public init(
        title: String, axes: (x: String, y: String), kinds: (x: PlotScale.Kind, y: PlotScale.Kind),
        labels: (x: (Double) -> String, y: (Double) -> String), series: [Series]
    ) {
        (self.title, self.axes, self.kinds) = (title, axes, kinds)
        (self.labels, self.series) = (labels, series)
    }

    var drawing: String {
        let points = series.flatMap(\.points)
        let x = PlotScale(kinds.x, over: points.map(\.x))
        let y = PlotScale(kinds.y, over: points.map(\.y))
        let lines = series.enumerated().map { line($1, number: $0, x, y) }
        return ([grid(x, y)] + lines).joined(separator: "\n")
    }

    /// The plot with its legend, for an HTML page; empty without points.
    public var html: String {
        guard series.contains(where: { !$0.points.isEmpty }) else { return "" }
        let legend = series.enumerated().map { "<li class=\"s\($0)\">\(MarkupText.escaped($1.name))</li>" }
        return """
            <figure>
            <figcaption>\(MarkupText.escaped(title))</figcaption>
            <svg viewBox="0 0 \(Int(Self.width)) \(Int(Self.height))" role="img" \
            aria-label="\(MarkupText.escaped(title))">
            \(drawing)
            </svg>
            <ul class="legend">\(legend.joined())</ul>
            </figure>
            """
    }

    private func grid(_ x: PlotScale, _ y: PlotScale) -> String {
        var lines: [String] = []
        let floor = Self.height - Self.bottom
        for tick in x.ticks(labels.x) {
            guard let place = x.position(of: tick.value).map(Self.across) else { continue }
            lines.append(Self.rule(from: (place, Self.top), to: (place, floor)))
            lines.append(Self.text(tick.label, at: (place, floor + 16), "middle"))
        }
        for tick in y.ticks(labels.y) {
            guard let place = y.position(of: tick.value).map(Self.up) else { continue }
            lines.append(Self.rule(from: (Self.left, place), to: (Self.width - Self.right, place)))
            lines.append(Self.text(tick.label, at: (Self.left - 6, place + 4), "end"))
        }
        lines.append(Self.text(axes.x, at: ((Self.left + Self.width) / 2, Self.height - 6), "middle"))
        lines.append(Self.text(axes.y, at: (4, Self.top), "start"))
        return lines.joined(separator: "\n")
    }

    private func line(_ series: Series, number: Int, _ x: PlotScale, _ y: PlotScale) -> String {
        let places = series.points.compactMap { point -> (x: Double, y: Double, label: String)? in
            guard let across = x.position(of: point.x), let up = y.position(of: point.y) else { return nil }
            return (
                Self.across(across), Self.up(up),
                "\(series.name): \(labels.y(point.y)) at \(labels.x(point.x))"
            )
        }
        let path = places.map { "\(Self.text($0.x)),\(Self.text($0.y))" }.joined(separator: " ")
        let marks =
            places.count > Self.markedPoints
            ? []
            : places.map { place in
                "<circle class=\"s\(number)\" cx=\"\(Self.text(place.x))\" cy=\"\(Self.text(place.y))\" r=\"2.5\">"
                    + "<title>\(MarkupText.escaped(place.label))</title></circle>"
            }
        return "<polyline class=\"s\(number)\" points=\"\(path)\"/>\n" + marks.joined(separator: "\n")
    }

    private static func across(_ position: Double) -> Double { left + position * (width - left - right) }

    private static func up(_ position: Double) -> Double {
        height - bottom - position * (height - top - bottom)
    }

    private static func rule(from start: (Double, Double), to end: (Double, Double)) -> String {
        "<line x1=\"\(text(start.0))\" y1=\"\(text(start.1))\" x2=\"\(text(end.0))\" y2=\"\(text(end.1))\"/>"
    }

    private static func text(_ label: String, at place: (Double, Double), _ anchor: String) -> String {
        "<text x=\"\(text(place.0))\" y=\"\(text(place.1))\" text-anchor=\"\(anchor)\">"
            + "\(MarkupText.escaped(label))</text>"
    }

    private static func text(_ number: Double) -> String { FigureText.decimal(number, places: 1) }
}

/// One axis of a plot: the range of its values, and the position of each.
public struct PlotScale: Sendable {
    public enum Kind: Sendable {
        case linear
        /// Linear, from the smallest value.
        case between
        /// Linear in hours, from the first to the last, with a tick every three hours.
        case hours
        /// Logarithmic, for values above zero.
        case logarithmic
        /// Logarithmic in the remaining part: for percentiles below 100.
        case percentile
    }

    struct Tick: Equatable, Sendable {
        let value: Double
        let label: String
    }

    /// The multiples of a power of ten that are marked.
    private static let steps: [Double] = [1, 2, 5]

    private let kind: Kind
    private let low: Double
    private let high: Double

    /// An axis for the given values; those that it cannot show are left out.
    init(_ kind: Kind, over values: [Double]) {
        let places = values.compactMap { Self.place(of: $0, kind) }
        let (least, most) = (places.min() ?? 0, places.max() ?? 1)
        self.kind = kind
        switch kind {
        case .linear: (low, high) = (min(0, least), most > 0 ? most * 1.05 : 1)
        case .between:
            let margin = max((most - least) * 0.05, 0.5)
            (low, high) = (least - margin, most + margin)
        case .hours: (low, high) = (least, max(most, least + 1))
        case .logarithmic: (low, high) = (least - 0.05, max(most, least + 0.3) + 0.05)
        case .percentile: (low, high) = (0, max(most, 1))
        }
    }

    /// Returns the position of a value, 0 to 1; nil if the axis cannot show it.
    func position(of value: Double) -> Double? {
        Self.place(of: value, kind).map { ($0 - low) / (high - low) }
    }

    func ticks(_ label: (Double) -> String) -> [Tick] {
        let values: [Double] =
            switch kind {
            case .linear, .between: linearTicks
            case .hours: Array(stride(from: (low / 3).rounded(.up) * 3, through: high, by: 3))
            case .logarithmic: logarithmicTicks
            case .percentile: (0...Int(high)).map { 100 - pow(10, 2 - Double($0)) }
            }
        return values.map { Tick(value: $0, label: label($0)) }
    }

    private var linearTicks: [Double] {
        let rough = (high - low) / 5
        let decade = pow(10, log10(rough).rounded(.down))
        let step = (Self.steps + [10]).map { $0 * decade }.first { $0 >= rough } ?? 10 * decade
        return Array(stride(from: (low / step).rounded(.up) * step, through: high, by: step))
    }

    private var logarithmicTicks: [Double] {
        let isWide = high - low > 3
        return (Int(low.rounded(.down))...Int(high.rounded(.up))).flatMap { exponent in
            (isWide ? [1] : Self.steps).map { $0 * pow(10, Double(exponent)) }
        }.filter { (low...high).contains(log10($0)) }
    }

    private static func place(of value: Double, _ kind: Kind) -> Double? {
        switch kind {
        case .linear, .between, .hours: value
        case .logarithmic: value > 0 ? log10(value) : nil
        case .percentile: value < 100 ? 2 - log10(100 - value) : nil
        }
    }
}

/// Plots one below the other, as a self-contained SVG file.
public struct PlotSheet {
    /// The height of the title and legend above each plot.
    private static let head = 46.0
    private static let style = """
        text { font: 11px system-ui, sans-serif; fill: #566; } .title { font-size: 13px; fill: #1b1f24; }
        line { stroke: #dde; } polyline { fill: none; stroke-width: 1.6; stroke-linejoin: round; }
        polyline.s0 { stroke: #1f6feb; } polyline.s1 { stroke: #d9730d; } polyline.s2 { stroke: #9333ca; }
        polyline.s3 { stroke: #667; stroke-dasharray: 5 4; }
        text.s0 { fill: #1f6feb; } text.s1 { fill: #d9730d; } text.s2 { fill: #9333ca; } text.s3 { fill: #667; }
        """

    private let plots: [LinePlot]

    public init(_ plots: [LinePlot]) { self.plots = plots }

    public var svg: String {
        let each = Self.head + LinePlot.height
        let (width, height) = (Int(LinePlot.width), Int(each) * plots.count)
        let parts = plots.enumerated().map { place, plot in
            """
            <g transform="translate(0 \(place * Int(each)))">
            <text class="title" x="10" y="20">\(MarkupText.escaped(plot.title))</text>
            \(legend(of: plot))
            <g transform="translate(0 \(Int(Self.head)))">
            \(plot.drawing)
            </g>
            </g>
            """
        }
        return """
            <svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 \(width) \(height)" width="\(width)" height="\(height)">
            <style>
            \(Self.style)
            </style>
            <rect width="100%" height="100%" fill="#fff"/>
            \(parts.joined(separator: "\n"))
            </svg>

            """
    }

    /// Returns the names of a plot's lines, spread evenly over its width.
    private func legend(of plot: LinePlot) -> String {
        let space = (LinePlot.width - 20) / Double(max(1, plot.series.count))
        return plot.series.enumerated().map { number, series in
            let x = Int(10 + Double(number) * space)
            return
                "<text class=\"s\(number)\" x=\"\(x)\" y=\"38\">━ \(MarkupText.escaped(series.name))</text>"
        }.joined(separator: "\n")
    }
}
