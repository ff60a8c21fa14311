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

    /// A sheet of plots, from top to bottom.
    public init(_ plots: [LinePlot]) { self.plots = plots }

    /// The text of the file.
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
