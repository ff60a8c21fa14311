/// A Markdown table whose columns are padded to the width of the widest cell.
package struct Table {
    /// The names of the columns.
    package let heading: [String]
    /// The cells of each row, one for each column.
    package let rows: [[String]]

    /// Makes a table of these rows.
    package init(heading: [String], rows: [[String]]) {
        self.heading = heading
        self.rows = rows
    }

    /// The table as Markdown.
    package var text: String {
        let rows = [heading] + rows
        let widths = heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        func row(_ cells: [String]) -> String {
            "| " + zip(cells, widths).map { cell, width in padded(cell, to: width) }.joined(separator: " | ")
                + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([row(heading), rule] + rows.dropFirst().map(row)).joined(separator: "\n")
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}

extension Table {
    /// Makes a table of measurements and targets.
    package init(lines: [Line]) {
        self.init(heading: Line.heading, rows: lines.map(\.cells))
    }
}
