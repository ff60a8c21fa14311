/// A plot in one line of block characters, one per value.
public enum Sparkline {
    private static let blocks = Array("▁▂▃▄▅▆▇█")
    /// The smallest range of a plot of temperatures, in tenths of a degree, so that a pod's noise is drawn
    /// flat.
    private static let leastSpan = 20

    /// Returns the plot of the newest counts that fit a width, oldest first, from zero to the highest.
    public static func text(ofCounts counts: [Int], width: Int) -> String {
        let shown = counts.suffix(max(0, width))
        let most = max(1, shown.max() ?? 0)
        return String(shown.map { blocks[($0 * (blocks.count - 1) + most - 1) / most] })
    }

    /// Returns the plot of the newest temperatures that fit a width, oldest first.
    public static func text(of deciCelsius: [Int16], width: Int) -> String {
        let shown = deciCelsius.suffix(max(0, width)).map(Int.init)
        guard let least = shown.min(), let most = shown.max() else { return "" }
        let span = max(most - least, leastSpan)
        let base = least - (span - (most - least)) / 2
        return String(shown.map { blocks[($0 - base) * (blocks.count - 1) / span] })
    }
}
