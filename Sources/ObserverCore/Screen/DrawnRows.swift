/// The last drawn rows of the table; rows that do not change between frames are not drawn again.
public struct DrawnRows: Sendable {
    private var rows: [ScreenContent.Row] = []
    private var lines: [ScreenLine] = []
    private var isDisconnected = false
    private var width = 0
    private var columns: [TableColumn] = []

    /// An empty set of rows.
    public init() {}

    /// Returns the lines of rows, and draws only rows that differ from the last ones in their places.
    mutating func lines(
        of new: [ScreenContent.Row], isDisconnected: Bool, columns: [TableColumn], width: Int,
        _ draw: (ScreenContent.Row, _ isDisconnected: Bool, [TableColumn], _ width: Int) -> ScreenLine
    ) -> [ScreenLine] {
        let new = new.map(\.seen)
        let isSame =
            self.isDisconnected == isDisconnected && self.width == width && self.columns == columns
        let old = isSame ? rows.count : 0
        lines = new.indices.map { index in
            index < old && rows[index] == new[index]
                ? lines[index] : draw(new[index], isDisconnected, columns, width)
        }
        (rows, self.isDisconnected, self.width, self.columns) = (new, isDisconnected, width, columns)
        return lines
    }
}

/// A plot of temperatures in one line of block characters, one per value.
enum Sparkline {
    private static let blocks = Array("▁▂▃▄▅▆▇█")
    /// The smallest range of the plot, in tenths of a degree, so that a pod's noise is drawn flat.
    private static let leastSpan = 20

    /// Returns the plot of the newest counts that fit a width, oldest first, from zero to the highest.
    static func text(ofCounts counts: [Int], width: Int) -> String {
        let shown = counts.suffix(max(0, width))
        let most = max(1, shown.max() ?? 0)
        return String(shown.map { blocks[($0 * (blocks.count - 1) + most - 1) / most] })
    }

    /// Returns the plot of the newest values that fit a width, oldest first.
    static func text(of deciCelsius: [Int16], width: Int) -> String {
        let shown = deciCelsius.suffix(max(0, width)).map(Int.init)
        guard let least = shown.min(), let most = shown.max() else { return "" }
        let span = max(most - least, leastSpan)
        let base = least - (span - (most - least)) / 2
        return String(shown.map { blocks[($0 - base) * (blocks.count - 1) / span] })
    }
}
