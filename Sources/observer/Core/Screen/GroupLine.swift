import UserText

extension ScreenContent.Group {
    init(_ group: TableGroup, of grouping: TableGrouping, line: Int) {
        let unnamed = grouping == .site ? "no site" : "unknown node"
        self.init(
            line: line, name: group.name.isEmpty ? unnamed : SafeText.of(group.name),
            counts: "\(Count.of(group.devices, "device")), \(group.online) online, \(group.on) on")
    }
}

/// The lines above the groups of the table.
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
