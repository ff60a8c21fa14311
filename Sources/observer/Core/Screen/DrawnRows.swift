/// The last drawn rows of the table; rows that do not change between frames are not drawn again.
struct DrawnRows: Sendable {
    private var rows: [ScreenContent.Row] = []
    private var lines: [ScreenLine] = []
    private var isDisconnected = false
    private var width = 0
    private var columns: [TableColumn] = []

    /// An empty set of rows.
    init() {}

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
