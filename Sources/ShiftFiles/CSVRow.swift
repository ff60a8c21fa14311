import UserText

/// The column layout of a shift file, from its heading.
struct CSVRow {
    /// Why a line is invalid.
    struct Problem: Error, Equatable {
        let what: String
    }

    /// The fields of a line, without surrounding whitespace.
    struct Fields {
        let who: String
        /// The email field; nil without such a column.
        let email: String?
        let from: String
        let to: String
    }

    private static let required = ["who", "from", "to"]

    private let delimiter: Character
    private let columns: [String]

    /// Parses the heading, whose most frequent delimiter is used: comma, semicolon or tab.
    init(_ heading: String) throws(Problem) {
        let delimiters: [Character] = [",", ";", "\t"]
        let counts = delimiters.map { delimiter in heading.count { $0 == delimiter } }
        let most = counts.max() ?? 0
        delimiter = delimiters[counts.firstIndex(of: most) ?? 0]
        columns = try Self.parts(of: heading, by: delimiter).map { $0.lowercased() }
        for column in Self.required where !columns.contains(column) {
            throw Problem(what: "column '\(column)' is missing; the first line must name who, from and to")
        }
        if let twice = columns.first(where: { column in
            !column.isEmpty && columns.count { $0 == column } > 1
        }) {
            throw Problem(what: "column '\(SafeText.of(twice))' appears twice; leave one out")
        }
    }

    /// The ignored columns, made safe for a terminal.
    var unknownColumns: [String] {
        columns.filter { !$0.isEmpty && $0 != "email" && !Self.required.contains($0) }.map(SafeText.of)
    }

    func fields(of line: String) throws(Problem) -> Fields {
        let parts = try Self.parts(of: line, by: delimiter)
        // Spreadsheets append empty fields after the last column.
        guard parts.count >= columns.count, parts.dropFirst(columns.count).allSatisfy(\.isEmpty) else {
            throw Problem(what: "it has \(Count.of(parts.count, "field")), and the heading \(columns.count)")
        }
        func field(_ name: String) -> String? { columns.firstIndex(of: name).map { parts[$0] } }
        return Fields(
            who: field("who") ?? "", email: field("email"), from: field("from") ?? "", to: field("to") ?? "")
    }

    /// Returns a field as it is written in a line, in quotes if necessary.
    static func quoted(_ text: String) -> String {
        let isPlain = !text.contains { ",;\"".contains($0) || $0.isWhitespace && $0 != " " }
        guard !isPlain || text.first == " " || text.last == " " else { return text }
        return "\"\(text.replacing("\"", with: "\"\""))\""
    }

    /// Splits a line into its fields, of which quotes may enclose whole ones.
    private static func parts(of line: String, by delimiter: Character) throws(Problem) -> [String] {
        enum Place { case start, plain, quoted, closed }
        var place = Place.start
        var (parts, part): ([String], String) = ([], "")
        // Files that were concatenated have a byte order mark inside.
        for character in line.trimmingPrefix("\u{feff}") {
            switch (place, character) {
            case (.quoted, "\""): place = .closed
            case (.quoted, _): part.append(character)
            case (.closed, "\""):
                place = .quoted
                part.append(character)
            case (_, delimiter):
                place = .start
                parts.append(trimmed(part))
                part = ""
            case (.start, "\""): place = .quoted
            case (.start, " "), (.start, "\t"), (.closed, " "), (.closed, "\t"): break
            case (.plain, "\""), (.closed, _):
                throw Problem(what: "quotes must enclose a whole field; write a quote in a field twice")
            case (.start, _), (.plain, _):
                place = .plain
                part.append(character)
            }
        }
        guard place != .quoted else { throw Problem(what: "a quote is not closed on the line") }
        guard !line.contains(where: \.isNewline) else {
            throw Problem(what: "it contains a line-break character; leave it out")
        }
        return parts + [trimmed(part)]
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
