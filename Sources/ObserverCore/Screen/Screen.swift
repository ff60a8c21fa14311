import FleetProtocol
import Wording

/// Draws content as lines, purely.
public enum Screen {
    /// The lines of a screen of that layout: exactly as many as it is high, each exactly as wide as it is.
    public static func lines(of content: ScreenContent, layout: ScreenLayout) -> [ScreenLine] {
        var lines: [ScreenLine] = []
        if layout.hasTitle {
            lines.append(title(of: content, width: layout.width))
            lines.append(content.showsHelp ? ScreenLine("keys", .bold) : headings(width: layout.width))
        }
        lines += body(of: content, layout: layout)
        if layout.messageRows > 0 {
            lines.append(ScreenLine(String(repeating: "─", count: layout.width), .dim))
            lines += messages(of: content, layout: layout)
        }
        lines.append(StatusLine.line(of: content.status, width: layout.width))
        return lines.map { $0.fitted(to: layout.width) }
    }

    private static func title(of content: ScreenContent, width: Int) -> ScreenLine {
        var line = ScreenLine("Sensibus ", .bold)
        line.append(content.account)
        if content.isTyping {
            line.append("  /\(SafeText.of(content.filter.text))", .colored(.cyan))
            line.append("▏", .colored(.cyan))
        } else if !content.filter.isEmpty {
            line.append("  /\(SafeText.of(content.filter.text))", .colored(.cyan))
        }
        if content.isFaultsOnly { line.append("  faults only", .colored(.yellow)) }
        line.append("  by \(content.sort.name)", .dim)
        let shown = content.rows.isEmpty ? 0 : content.firstRow + 1
        let last = content.firstRow + content.rows.count
        line.append("  \(shown)–\(last) of \(content.rowCount)", .dim)
        line.append("  ? keys", .dim)
        return line
    }

    private static func headings(width: Int) -> ScreenLine {
        let columns = TableColumn.fitting(width)
        var line = ScreenLine()
        for (column, width) in zip(columns, TableColumn.widths(of: columns, in: width)) {
            if column != columns.first { line.append(" ", .bold) }
            line.append(cell(column.title, column, width), .bold)
        }
        return line
    }

    private static func body(of content: ScreenContent, layout: ScreenLayout) -> [ScreenLine] {
        var lines =
            content.showsHelp
            ? HelpText.lines.map { ScreenLine($0) }
            : content.rows.map { row($0, of: content, width: layout.width) }
        if lines.isEmpty, layout.tableRows > 0 { lines.append(ScreenLine(emptyText(of: content), .dim)) }
        lines = Array(lines.prefix(layout.tableRows))
        lines += Array(repeating: ScreenLine(), count: layout.tableRows - lines.count)
        return lines
    }

    private static func emptyText(of content: ScreenContent) -> String {
        if content.status.staleness == .joining { return "waiting for the controller" }
        if !content.filter.isEmpty {
            return "no device has “\(SafeText.of(content.filter.text))” in name or id"
        }
        return content.isFaultsOnly ? "no faults: every device is online" : "no devices"
    }

    private static func row(_ row: ScreenContent.Row, of content: ScreenContent, width: Int) -> ScreenLine {
        let columns = TableColumn.fitting(width)
        var line = ScreenLine()
        for (column, width) in zip(columns, TableColumn.widths(of: columns, in: width)) {
            if column != columns.first { line.append(" ") }
            line.append(cell(column.text(of: row), column, width), column.style(of: row))
        }
        // What was last known stays, but nobody shall take it for what is.
        let isAway = content.status.connection != .established
        return line.fitted(to: width).restyled { style in
            if isAway { style = Style(isDim: true) }
            style.isReversed = row.isSelected
        }
    }

    private static func cell(_ text: String, _ column: TableColumn, _ width: Int) -> String {
        let columns = DisplayWidth.of(text)
        guard column.isRightAligned, columns < width else { return DisplayWidth.fitted(text, to: width) }
        return String(repeating: " ", count: width - columns) + text
    }

    private static func messages(of content: ScreenContent, layout: ScreenLayout) -> [ScreenLine] {
        let newest = content.messages.suffix(layout.messageRows)
        let lines = newest.map { message in
            let time = TimeText.timeOfDay(message.at, eastOfUTC: content.eastOfUTC)
            var line = ScreenLine("\(time.prefix(8)) ", .dim)
            line.append(message.words, style(of: message.tone))
            return line
        }
        return lines + Array(repeating: ScreenLine(), count: layout.messageRows - lines.count)
    }

    private static func style(of tone: EventLine.Tone) -> Style {
        switch tone {
        case .success: .colored(.green)
        case .failure: .colored(.red)
        case .neutral: .plain
        }
    }
}
