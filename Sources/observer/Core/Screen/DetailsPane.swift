/// The details of the selected device beside the table.
enum DetailsPane {
    /// Returns the lines of the pane: its title, and the visible details.
    ///
    /// - Parameter height: The number of lines.
    static func lines(of content: ScreenContent, height: Int) -> [ScreenLine] {
        let hasFocus = content.focus == .details
        var title = ScreenLine("details", hasFocus ? Style(color: .cyan, isBold: true) : .bold)
        if let below = content.details?.below, below > 0 {
            title.append("  \(below) below: \(hasFocus ? "PgDn" : "Tab Tab PgDn")", .dim)
        }
        var lines = content.details?.lines ?? [ScreenLine("no device", .dim)]
        // The last known state may have changed since.
        if content.status.isDisconnected { lines = lines.map(\.dimmed) }
        lines = Array(([title] + lines).prefix(height))
        return lines + Array(repeating: ScreenLine(), count: height - lines.count)
    }
}
