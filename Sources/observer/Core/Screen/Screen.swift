import UserText

/// Draws content as lines; a pure function.
enum Screen {
    /// Returns the lines of a screen: exactly as many as the layout's height, each exactly as wide as its
    /// width.
    static func lines(of content: ScreenContent, layout: ScreenLayout) -> [ScreenLine] {
        var drawn = DrawnRows()
        return lines(of: content, layout: layout, drawn: &drawn)
    }

    /// Returns the lines of a screen, and reuses the drawn rows of the previous one that have not changed.
    static func lines(
        of content: ScreenContent, layout: ScreenLayout, drawn: inout DrawnRows
    ) -> [ScreenLine] {
        var lines: [ScreenLine] = []
        if layout.hasTitle {
            lines.append(title(of: content, layout: layout))
            if layout.hasDuty { lines.append(content.duty ?? ScreenLine()) }
        }
        lines += middle(of: content, layout: layout, drawn: &drawn)
        if layout.messageRows > 0 {
            lines += log(of: content, layout: layout)
        }
        if layout.hasCounters { lines.append(ActivityLine.line(of: content.activity, width: layout.width)) }
        lines.append(StatusLine.line(of: content.status, width: layout.width))
        if layout.hasKeys {
            lines.append(KeyBar.line(of: content.focus, isLogAlone: content.page != nil, width: layout.width))
        }
        return lines.map { $0.fitted(to: layout.width) }
    }

    /// Returns the hint, else the prompt, else the title of the table.
    private static func title(of content: ScreenContent, layout: ScreenLayout) -> ScreenLine {
        let width = layout.width
        // The next key removes a hint, and the text that the user is typing is shown again.
        if let hint = content.hint { return ScreenLine(hint.text, Style.of(hint.tone)) }
        if let prompt = content.prompt {
            guard content.focus.isTyping else { return ScreenLine(prompt, .colored(.cyan)) }
            // The end of the typed text stays visible on a narrow screen.
            return ScreenLine(DisplayWidth.suffix(of: "\(prompt)▏", in: width), .colored(.cyan))
        }
        var line = ScreenLine("Sensibus ", .bold)
        line.append(content.account)
        if content.focus == .filter {
            // The end of the typed text stays visible on a narrow screen.
            let typed = "\(SafeText.of(content.rule.filter.text))▏"
            let room = max(1, width - line.width - 3)
            line.append("  /\(DisplayWidth.suffix(of: typed, in: room))", .colored(.cyan))
        } else if !content.rule.filter.isEmpty {
            line.append("  /\(SafeText.of(content.rule.filter.text))", .colored(.cyan))
        }
        if content.rule.isFaultsOnly { line.append("  faults only", .colored(.yellow)) }
        let condition = content.rule.condition.map { "  where \($0)" }
        let wanted = condition.map { min(DisplayWidth.of($0), leastConditionWidth) } ?? 0
        let places = places(in: content, hasKeys: layout.hasKeys)
        let fitting = places.first { line.width + wanted + self.width(of: $0) <= width }
        let rest = fitting ?? places.last ?? []
        if let text = condition {
            let room = max(1, width - line.width - self.width(of: rest))
            line.append(
                DisplayWidth.of(text) > room ? DisplayWidth.fitted(text, to: room) : text, .colored(.cyan))
        }
        for piece in rest { line.append("  \(piece)", .dim) }
        return line
    }

    /// The columns that a condition gets before the texts beside it.
    private static let leastConditionWidth = 20

    private static func width(of pieces: [String]) -> Int {
        pieces.reduce(0) { $0 + 2 + DisplayWidth.of($1) }
    }

    /// Returns the position in the table or on a page in pieces: all of them, then shorter selections.
    /// Without another line for keys the pieces name some; the sort order is left out before them, and a page
    /// always names the key that leaves it.
    private static func places(in content: ScreenContent, hasKeys: Bool) -> [[String]] {
        if let page = content.page {
            let back = hasKeys ? [] : ["esc back"]
            if let position = page.position {
                let keys = hasKeys ? [] : ["PgUp PgDn", "! errors"]
                return [[position] + keys + back, [position] + back, back]
            }
            guard page.below > 0 else { return [back] }
            return [["\(page.below) lines below: PgDn"] + back, ["\(page.below) below: PgDn"] + back, back]
        }
        let shown = content.rows.isEmpty ? 0 : content.firstRow + 1
        let last = content.firstRow + content.rows.count
        let rows = "\(shown)–\(last) of \(content.rowCount)"
        let keys = hasKeys ? [] : ["? keys"]
        let rule = content.rule
        let order =
            "by \(rule.sort.name)" + (rule.isReversed ? ", reversed" : "")
            + (rule.grouping == .none ? "" : ", grouped by \(rule.grouping)")
        return [[order, rows] + keys, [rows] + keys, [rows]]
    }

    /// Returns the headings, with a mark beside that of the sorted column: in the column if there is room, or
    /// else in place of the blank beside it.
    private static func headings(of rule: ScreenContent.Rule, width: Int) -> ScreenLine {
        let columns = TableColumn.fitting(width, hiding: rule.hiddenColumns)
        let mark = rule.sort.isAscending != rule.isReversed ? "▲" : "▼"
        var line = ScreenLine()
        var edge = ""
        for (column, width) in zip(columns, TableColumn.widths(of: columns, in: width)) {
            let isSorted = column.sort == rule.sort
            let hasRoom = isSorted && DisplayWidth.of(column.title) < width
            if isSorted, !hasRoom, column.isRightAligned { edge = mark }
            if column != columns.first { line.append(edge, .bold) }
            edge = isSorted && !hasRoom && !column.isRightAligned ? mark : " "
            let title = column.isRightAligned ? mark + column.title : column.title + mark
            line.append(
                hasRoom ? title : column.title, in: width, isRightAligned: column.isRightAligned, .bold)
        }
        return line
    }

    /// Returns the headings with the table, and the details beside it; or a page.
    private static func middle(
        of content: ScreenContent, layout: ScreenLayout, drawn: inout DrawnRows
    ) -> [ScreenLine] {
        let heading =
            content.page.map { ScreenLine($0.title, .bold) }
            ?? headings(of: content.rule, width: layout.tableWidth)
        let lines =
            (layout.hasTitle ? [heading] : []) + body(of: content, layout: layout, drawn: &drawn)
        guard layout.detailsWidth > 0 else { return lines }
        let details = DetailsPane.lines(of: content, height: lines.count)
        let edge = content.focus == .details ? Style(color: .cyan, isBold: true) : .dim
        return zip(lines, details).map { left, right in
            var line = left.fitted(to: layout.tableWidth)
            line.append(" │ ", edge)
            line.append(right)
            return line
        }
    }

    private static func body(
        of content: ScreenContent, layout: ScreenLayout, drawn: inout DrawnRows
    ) -> [ScreenLine] {
        var lines = page(of: content) ?? table(of: content, width: layout.tableWidth, drawn: &drawn)
        if lines.isEmpty { lines = Welcome.lines(of: content, width: layout.tableWidth) }
        lines = Array(lines.prefix(layout.tableRows))
        lines += Array(repeating: ScreenLine(), count: layout.tableRows - lines.count)
        return lines
    }

    private static func table(of content: ScreenContent, width: Int, drawn: inout DrawnRows) -> [ScreenLine] {
        let rows = drawn.lines(
            of: content.rows, isDisconnected: content.status.isDisconnected,
            columns: TableColumn.fitting(width, hiding: content.rule.hiddenColumns), width: width, row)
        return GroupLine.lines(of: rows, groups: content.groups, width: width)
    }

    /// Returns the page that replaces the table; the details of a device are dimmed if the replica may be out
    /// of date.
    private static func page(of content: ScreenContent) -> [ScreenLine]? {
        guard let page = content.page, content.focus == .details, content.status.isDisconnected else {
            return content.page?.lines
        }
        return page.lines.map(\.dimmed)
    }

    private static func row(
        _ row: ScreenContent.Row, isDisconnected: Bool, columns: [TableColumn], width: Int
    ) -> ScreenLine {
        var line = ScreenLine()
        for (column, width) in zip(columns, TableColumn.widths(of: columns, in: width)) {
            if column != columns.first {
                line.append(" ", Style(isDim: isDisconnected, isReversed: row.isSelected))
            }
            // The last known state is dimmed, because it may have changed since.
            var style = isDisconnected ? Style(isDim: true) : column.style(of: row)
            // Reversed blocks of a plot would show the inverse of its values.
            style.isReversed = row.isSelected && !column.isPlot
            line.append(column.text(of: row), in: width, isRightAligned: column.isRightAligned, style)
        }
        return line.fitted(to: width)
    }

    /// Returns the line between the table and the log, and the log.
    private static func log(of content: ScreenContent, layout: ScreenLayout) -> [ScreenLine] {
        var edge = ScreenLine()
        let style = content.focus.isLog ? Style(color: .cyan, isBold: true) : .dim
        if let log = content.log, content.focus.isLog || !log.isPlain {
            edge.append("── \(log.title(isTyping: content.focus == .logFilter))  \(log.position) ", style)
        }
        edge.append(String(repeating: "─", count: max(0, layout.width - edge.width)), style)
        let lines = content.log?.lines ?? []
        return [edge] + lines + Array(repeating: ScreenLine(), count: layout.messageRows - lines.count)
    }
}

enum DetailsPane {
    /// Returns the lines of the pane: its title, and the visible details.
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

extension ScreenContent.Group {
    init(_ group: TableGroup, of grouping: TableGrouping, line: Int) {
        let unnamed = grouping == .site ? "no site" : "unknown node"
        self.init(
            line: line, name: group.name.isEmpty ? unnamed : SafeText.of(group.name),
            counts: "\(Count.of(group.devices, "device")), \(group.online) online, \(group.on) on")
    }
}

enum GroupLine {
    /// Returns the rows of the table with the lines of its groups among them.
    static func lines(of rows: [ScreenLine], groups: [ScreenContent.Group], width: Int) -> [ScreenLine] {
        var lines: [ScreenLine] = []
        var rest = rows[...]
        for group in groups {
            while lines.count < group.line, let row = rest.popFirst() { lines.append(row) }
            lines.append(line(of: group, width: width))
        }
        return lines + rest
    }

    private static func line(of group: ScreenContent.Group, width: Int) -> ScreenLine {
        var line = ScreenLine("\(group.name) ", .bold)
        line.append("── \(group.counts) ", .dim)
        line.append(String(repeating: "─", count: max(0, width - line.width)), .dim)
        return line.fitted(to: width)
    }
}
