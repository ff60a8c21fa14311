/// What has how many lines of a screen: title, headings, table, messages with a line above, status.
public struct ScreenLayout: Hashable, Sendable {
    /// Columns.
    public let width: Int
    /// Lines.
    public let height: Int
    /// Lines for devices, or of a page in their place.
    public let tableRows: Int
    /// Lines for messages, the line above them aside.
    public let messageRows: Int

    /// The layout of a screen of that size; one below 1 by 1 counts as that.
    ///
    /// Messages get a quarter of the lines. On a low screen they go first, then headings and title; the
    /// status stays.
    ///
    /// - Parameter isPage: Whether a page takes the place of headings, table and messages.
    public init(width: Int, height: Int, isPage: Bool = false) {
        self.width = max(1, width)
        self.height = max(1, height)
        messageRows = self.height >= 8 && !isPage ? self.height / 4 : 0
        let frame = messageRows > 0 ? 4 : self.height >= 4 ? 3 : 1
        tableRows = self.height - messageRows - frame
    }

    /// Whether there are a title and headings.
    var hasTitle: Bool { height >= 4 }
}
