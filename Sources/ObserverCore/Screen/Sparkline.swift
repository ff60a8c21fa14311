/// Temperatures as a line of blocks, one a value.
enum Sparkline {
    private static let blocks = Array("▁▂▃▄▅▆▇█")
    /// The span that all blocks stand for at least, in tenths of a degree: what a pod's noise makes is flat.
    private static let leastSpan = 20

    /// The newest values that fit a width, oldest first.
    static func text(of deciCelsius: [Int16], width: Int) -> String {
        let shown = deciCelsius.suffix(max(0, width)).map(Int.init)
        guard let least = shown.min(), let most = shown.max() else { return "" }
        let span = max(most - least, leastSpan)
        let base = least - (span - (most - least)) / 2
        return String(shown.map { blocks[($0 - base) * (blocks.count - 1) / span] })
    }
}
