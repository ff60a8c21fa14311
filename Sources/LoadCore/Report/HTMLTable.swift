import Plots

/// Tables in a page.
enum HTMLTable {
    /// A table; the first cell of each row names it.
    static func of(_ headings: [String], _ rows: [[String]]) -> String {
        let head = headings.map { "<th scope=\"col\">\(MarkupText.escaped($0))</th>" }.joined()
        let body = rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index == 0
                    ? "<th scope=\"row\">\(MarkupText.escaped(cell))</th>"
                    : "<td>\(MarkupText.escaped(cell))</td>"
            }
            return "<tr>\(cells.joined())</tr>"
        }
        return """
            <table><thead><tr>\(head)</tr></thead><tbody>
            \(body.joined(separator: "\n"))
            </tbody></table>
            """
    }
}
