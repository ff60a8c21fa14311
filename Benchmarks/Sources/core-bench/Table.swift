/// Lines under a heading, each column as wide as its widest cell: text that is Markdown too.
struct Table {
    let lines: [Line]

    /// The whole table.
    var text: String {
        let rows = [Line.heading] + lines.map(\.cells)
        let widths = Line.heading.indices.map { column in rows.map { $0[column].count }.max() ?? 0 }
        func row(_ cells: [String]) -> String {
            "| " + zip(cells, widths).map { cell, width in padded(cell, to: width) }.joined(separator: " | ")
                + " |"
        }
        let rule = "|" + widths.map { String(repeating: "-", count: $0 + 2) }.joined(separator: "|") + "|"
        return ([row(rows[0]), rule] + rows.dropFirst().map(row)).joined(separator: "\n")
    }

    private func padded(_ text: String, to width: Int) -> String {
        text + String(repeating: " ", count: width - text.count)
    }
}
