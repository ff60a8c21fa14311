/// A plot of lines over two axes, as SVG.
public struct LinePlot {
    /// One line.
    public struct Series {
        let name: String
        let points: [(x: Double, y: Double)]

        /// A line with a name and its points.
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
    /// Return the text for a value of either axis.
    let labels: (x: (Double) -> String, y: (Double) -> String)
    let series: [Series]

    /// A plot of at most four lines.
    ///
    /// - Parameters:
    ///   - title: The title.
    ///   - axes: The titles of the axes.
    ///   - labels: Return the text for a value of either axis.
    public init(
        title: String, axes: (x: String, y: String), kinds: (x: PlotScale.Kind, y: PlotScale.Kind),
        labels: (x: (Double) -> String, y: (Double) -> String), series: [Series]
    ) {
        (self.title, self.axes, self.kinds) = (title, axes, kinds)
        (self.labels, self.series) = (labels, series)
    }

    /// The axes and lines, without title and legend.
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
