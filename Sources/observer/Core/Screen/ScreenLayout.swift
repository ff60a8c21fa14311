/// The number of lines of each part of a screen: title, users on duty, headings, table, messages with a line
/// above, counters, status, and keys.
struct ScreenLayout: Hashable, Sendable {
    let width: Int
    let height: Int
    /// The lines for devices, or for a page that replaces them.
    let tableRows: Int
    /// The lines for messages, without the line above them.
    let messageRows: Int
    let hasDuty: Bool
    let hasKeys: Bool
    let hasCounters: Bool
    /// The width of the pane with details beside the table, columns; 0 without one.
    let detailsWidth: Int

    /// The least width with details beside the table, columns.
    private static let leastWidthWithDetails = 120
    /// The width of the details: two fifths of the screen within these bounds, columns.
    private static let detailsWidths = 46...80
    /// The width of the edge between the table and the details, columns.
    private static let edgeWidth = 3

    /// The least height with a title and headings, lines.
    private static let leastHeightWithTitle = 4
    private static let leastHeightWithKeys = 12
    private static let leastHeightWithCounters = 24

    /// The layout of a screen of that size, at least 1 by 1.
    ///
    /// Messages, counters and keys get a quarter of the lines. A low screen leaves out the counters first,
    /// then the keys, the users on duty, messages, and headings and title; the status stays. A page replaces
    /// headings, table and messages. Details are beside the table only on a wide screen.
    init(
        width: Int, height: Int, isPage: Bool = false, hasDuty: Bool = false, hasKeys: Bool = false,
        hasDetails: Bool = false
    ) {
        self.width = max(1, width)
        self.height = max(1, height)
        let isWide = hasDetails && !isPage && Self.hasRoomForDetails(width: width, height: height)
        detailsWidth =
            isWide ? min(max(width * 2 / 5, Self.detailsWidths.lowerBound), Self.detailsWidths.upperBound) : 0
        self.hasKeys = hasKeys && self.height >= Self.leastHeightWithKeys
        hasCounters = hasKeys && self.height >= Self.leastHeightWithCounters
        let keyRows = (self.hasKeys ? 1 : 0) + (hasCounters ? 1 : 0)
        messageRows = self.height >= 8 && !isPage ? self.height / 4 - keyRows : 0
        let frame = messageRows > 0 ? 4 : self.height >= Self.leastHeightWithTitle ? 3 : 1
        self.hasDuty = hasDuty && self.height >= 10
        tableRows = self.height - messageRows - frame - keyRows - (self.hasDuty ? 1 : 0)
    }

    static func hasRoomForDetails(width: Int, height: Int) -> Bool {
        width >= leastWidthWithDetails && height >= leastHeightWithTitle
    }

    var tableWidth: Int { detailsWidth > 0 ? width - detailsWidth - Self.edgeWidth : width }

    /// A place on the screen, for the mouse.
    enum Place: Hashable, Sendable {
        /// A column of the headings of a table of a width.
        case heading(column: Int, width: Int)
        /// A line of the table, from 0.
        case table(line: Int)
        case details
        /// The log below the table, with the line above it.
        case log
        case elsewhere
    }

    /// Returns the place at a column and a line, both from 0.
    func place(column: Int, line: Int) -> Place {
        let firstRow = hasTitle ? (hasDuty ? 3 : 2) : 0
        let row = line - firstRow
        guard row >= (hasTitle ? -1 : 0), line < height, column < width else { return .elsewhere }
        guard row < tableRows else {
            return messageRows > 0 && row <= tableRows + messageRows ? .log : .elsewhere
        }
        if detailsWidth > 0, column >= tableWidth { return .details }
        return row < 0 ? .heading(column: column, width: tableWidth) : .table(line: row)
    }

    var hasTitle: Bool { height >= Self.leastHeightWithTitle }
}
