/// What has how many lines of a screen: title, who is on duty, headings, table, messages with a line above,
/// status.
public struct ScreenLayout: Hashable, Sendable {
    /// Columns.
    public let width: Int
    /// Lines.
    public let height: Int
    /// Lines for devices, or of a page in their place.
    public let tableRows: Int
    /// Lines for messages, the line above them aside.
    public let messageRows: Int
    /// Whether who is on duty has a line.
    public let hasDuty: Bool

    /// The layout of a screen of that size; one below 1 by 1 counts as that.
    ///
    /// Messages get a quarter of the lines. On a low screen who is on duty goes first, then messages, then
    /// headings and title; the status stays.
    ///
    /// - Parameters:
    ///   - isPage: Whether a page takes the place of headings, table and messages.
    ///   - hasDuty: Whether there is anything to be told of who is on duty.
    public init(width: Int, height: Int, isPage: Bool = false, hasDuty: Bool = false) {
        self.width = max(1, width)
        self.height = max(1, height)
        messageRows = self.height >= 8 && !isPage ? self.height / 4 : 0
        let frame = messageRows > 0 ? 4 : self.height >= 4 ? 3 : 1
        self.hasDuty = hasDuty && self.height >= 10
        tableRows = self.height - messageRows - frame - (self.hasDuty ? 1 : 0)
    }

    /// Whether there are a title and headings.
    var hasTitle: Bool { height >= 4 }
}
