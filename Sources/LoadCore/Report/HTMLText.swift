/// Text in a page.
enum HTMLText {
    /// A text in which nothing is taken for markup.
    static func escaped(_ text: String) -> String {
        text.reduce(into: "") { escaped, character in
            switch character {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            default: escaped.append(character)
            }
        }
    }

    /// A table; the first cell of each row names it.
    static func table(_ headings: [String], _ rows: [[String]]) -> String {
        let head = headings.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
        let body = rows.map { row in
            let cells = row.enumerated().map { index, cell in
                index == 0 ? "<th scope=\"row\">\(escaped(cell))</th>" : "<td>\(escaped(cell))</td>"
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
