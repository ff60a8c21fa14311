import SwiftCSV
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

    private let delimiter: CSVDelimiter
    private let columns: [String]

    /// Parses the heading, whose most frequent delimiter is used: comma, semicolon or tab.
    init(_ heading: String) throws(Problem) {
        let delimiters: [CSVDelimiter] = [.comma, .semicolon, .tab]
        let counts = delimiters.map { delimiter in heading.count { $0 == delimiter.rawValue } }
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

    /// Parses the fields of a line.
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

    private static func parts(of line: String, by delimiter: CSVDelimiter) throws(Problem) -> [String] {
        try checkQuotes(in: line, by: delimiter.rawValue)
        guard !line.contains(where: \.isNewline) else {
            throw Problem(what: "it contains a line-break character; leave it out")
        }
        do {
            // A row ends with its line, and the last field may be empty.
            return try EnumeratedCSV(
                string: line + "\n", delimiter: delimiter, loadColumns: false, rowLimit: 0
            ).header.map(trimmed)
        } catch {
            throw Problem(what: "it cannot be split into fields: check its quotes")
        }
    }

    /// Checks that quotes enclose whole fields and are closed on the line, since the parser accepts others.
    private static func checkQuotes(in line: String, by delimiter: Character) throws(Problem) {
        enum Place { case start, plain, quoted, closed }
        var place = Place.start
        for character in line {
            switch (place, character) {
            case (.quoted, "\""): place = .closed
            case (.quoted, _): break
            case (.closed, "\""): place = .quoted
            case (_, delimiter): place = .start
            case (.start, "\""): place = .quoted
            case (.start, " "), (.start, "\t"), (.closed, " "), (.closed, "\t"): break
            case (.plain, "\""), (.closed, _):
                throw Problem(what: "quotes must enclose a whole field; write a quote in a field twice")
            case (.start, _), (.plain, _): place = .plain
            }
        }
        guard place != .quoted else { throw Problem(what: "a quote is not closed on the line") }
    }

    private static func trimmed(_ text: String) -> String {
        String(text.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed())
    }
}
