/// Rows in columns that line up, for people.
public struct TextTable: Sendable {
    /// How a column's cells stand in it.
    public enum Alignment: Sendable {
        /// As words stand.
        case left
        /// As numbers stand.
        case right
    }

    private let alignments: [Alignment]
    private var rows: [[String]]

    /// A table of those columns: a heading and an alignment each.
    public init(_ columns: [(heading: String, alignment: Alignment)]) {
        alignments = columns.map(\.alignment)
        rows = [columns.map(\.heading)]
    }

    /// Adds a row, made safe for terminals.
    ///
    /// - Precondition: It has a cell for each column.
    public mutating func add(_ cells: [String]) {
        precondition(
            cells.count == alignments.count, "a row of \(cells.count) in a table of \(alignments.count)")
        rows.append(cells.map(SafeText.of))
    }

    /// The headings and the rows, without blanks at their ends.
    public var lines: [String] {
        let widths = alignments.indices.map { column in
            rows.reduce(0) { max($0, DisplayWidth.of($1[column])) }
        }
        return rows.map { row in
            let cells = row.indices.map { padded(row[$0], to: widths[$0], alignments[$0]) }
            let line = cells.joined(separator: "  ")
            return String(line.reversed().drop { $0 == " " }.reversed())
        }
    }

    private func padded(_ cell: String, to width: Int, _ alignment: Alignment) -> String {
        let blanks = String(repeating: " ", count: width - DisplayWidth.of(cell))
        return alignment == .left ? cell + blanks : blanks + cell
    }
}
