/// The rows of the table as they were drawn last: most are as they were, frame after frame.
public struct DrawnRows: Sendable {
    private var rows: [ScreenContent.Row] = []
    private var lines: [ScreenLine] = []
    private var isAway = false
    private var width = 0

    /// Nothing drawn yet.
    public init() {}

    /// The lines of rows, of which those are drawn that are not as the ones drawn in their places before.
    mutating func lines(
        of new: [ScreenContent.Row], isAway: Bool, width: Int,
        _ draw: (ScreenContent.Row, _ isAway: Bool, _ width: Int) -> ScreenLine
    ) -> [ScreenLine] {
        let new = new.map(\.seen)
        let isSame = self.isAway == isAway && self.width == width
        let old = isSame ? rows.count : 0
        lines = new.indices.map { index in
            index < old && rows[index] == new[index] ? lines[index] : draw(new[index], isAway, width)
        }
        (rows, self.isAway, self.width) = (new, isAway, width)
        return lines
    }
}

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
