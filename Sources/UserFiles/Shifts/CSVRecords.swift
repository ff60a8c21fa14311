import UserText

struct CSVRecord: Equatable {
    struct Problem: Error, Equatable {
        let what: String
    }

    /// The number of its first line, from 1.
    let line: Int
    /// The fields, without surrounding whitespace; or why they cannot be read.
    let fields: Result<[String], Problem>
}

/// The records of a text (RFC 4180) that are not empty: quotes enclose whole fields, which then may contain
/// delimiters, line feeds, and quotes written twice.
struct CSVRecords: IteratorProtocol {
    private enum Place {
        case start, plain, quoted, closed
    }

    private let delimiter: Unicode.Scalar
    private var rest: Substring.UnicodeScalarView.Iterator
    private var isAtEnd = false
    private var line: Int
    private var start: Int
    private var place = Place.start
    private var (fields, field): ([String], String) = ([], "")
    private var problem: CSVRecord.Problem?

    /// The records of a text whose lines end with line feeds. The delimiter is the one of a first line such
    /// as `sep=;`, as Excel reads it; otherwise comma, semicolon or tab, whichever is the most frequent in
    /// the first record.
    init(of text: String) {
        let scalars = Substring(text).unicodeScalars
        let first = scalars.prefix { $0 != "\n" }
        let named = first.count == 5 && String(first.prefix(4)).lowercased() == "sep=" ? first.last : nil
        let records = named == nil ? scalars : scalars.dropFirst(first.count + 1)
        delimiter = named ?? Self.mostFrequent(in: records)
        (rest, line, start) = (records.makeIterator(), named == nil ? 1 : 2, named == nil ? 1 : 2)
    }

    /// The delimiter that is the most frequent one in the first record, outside of quotes.
    private static func mostFrequent(in text: Substring.UnicodeScalarView) -> Unicode.Scalar {
        let delimiters: [Unicode.Scalar] = [",", ";", "\t"]
        var counts = [0, 0, 0]
        var (isQuoted, isBlank) = (false, true)
        for scalar in text {
            if scalar == "\n", !isQuoted, !isBlank { break }
            if scalar == "\"" { isQuoted.toggle() }
            if !scalar.properties.isWhitespace { isBlank = false }
            if !isQuoted, let place = delimiters.firstIndex(of: scalar) { counts[place] += 1 }
        }
        return delimiters[counts.firstIndex(of: counts.max() ?? 0) ?? 0]
    }

    /// The next record that is not empty; spreadsheets append rows of delimiters.
    mutating func next() -> CSVRecord? {
        while let scalar = rest.next() {
            if let record = step(scalar) { return record }
        }
        guard !isAtEnd else { return nil }
        isAtEnd = true
        if place == .quoted { problem = .init(what: "a quote is not closed") }
        return endRecord()
    }

    private mutating func step(_ scalar: Unicode.Scalar) -> CSVRecord? {
        if scalar == "\n" {
            line += 1
            guard place == .quoted else { return endRecord() }
        }
        switch (place, scalar) {
        case (.quoted, "\""): place = .closed
        case (.quoted, _): field.unicodeScalars.append(scalar)
        case (.closed, "\""):
            place = .quoted
            field.unicodeScalars.append(scalar)
        case (_, delimiter): endField()
        case (.start, "\""): place = .quoted
        // Files that were concatenated have a byte order mark inside.
        case (.start, " "), (.start, "\t"), (.start, "\u{feff}"), (.closed, " "), (.closed, "\t"): break
        case (.plain, "\""), (.closed, _):
            problem = .init(what: "quotes must enclose a whole field; write a quote in a field twice")
            place = .plain
        case (.start, _), (.plain, _):
            place = .plain
            field.unicodeScalars.append(scalar)
        }
        return nil
    }

    private mutating func endField() {
        let trimmed = field.drop(while: \.isWhitespace).reversed().drop(while: \.isWhitespace).reversed()
        fields.append(String(trimmed))
        (field, place) = ("", .start)
    }

    private mutating func endRecord() -> CSVRecord? {
        endField()
        defer { (fields, problem, start) = ([], nil, line) }
        if let problem { return CSVRecord(line: start, fields: .failure(problem)) }
        return fields.allSatisfy(\.isEmpty) ? nil : CSVRecord(line: start, fields: .success(fields))
    }
}

/// The columns of a shift file, by the names in its heading.
struct CSVHeading {
    struct Fields {
        let who: String
        let email: String?
        let from: String
        let to: String
    }

    private static let required = ["who", "from", "to"]

    private let columns: [String]

    init(_ names: [String]) throws(CSVRecord.Problem) {
        columns = names.map { $0.lowercased() }
        for column in Self.required where !columns.contains(column) {
            throw .init(what: "column '\(column)' is missing; the first line must name who, from and to")
        }
        if let twice = columns.first(where: { column in
            !column.isEmpty && columns.count { $0 == column } > 1
        }) {
            throw .init(what: "column '\(SafeText.of(twice))' appears twice; leave one out")
        }
    }

    /// The ignored columns, made safe for a terminal.
    var unknownColumns: [String] {
        columns.filter { !$0.isEmpty && $0 != "email" && !Self.required.contains($0) }.map(SafeText.of)
    }

    func fields(of parts: [String]) throws(CSVRecord.Problem) -> Fields {
        // Spreadsheets append empty fields after the last column.
        guard parts.count >= columns.count, parts.dropFirst(columns.count).allSatisfy(\.isEmpty) else {
            throw .init(what: "it has \(Count.of(parts.count, "field")), and the heading \(columns.count)")
        }
        func field(_ name: String) throws(CSVRecord.Problem) -> String? {
            guard let part = columns.firstIndex(of: name).map({ parts[$0] }) else { return nil }
            guard !part.contains(where: \.isNewline) else {
                throw .init(what: "\(name): it contains a line break; leave it out")
            }
            return part
        }
        return Fields(
            who: try field("who") ?? "", email: try field("email"), from: try field("from") ?? "",
            to: try field("to") ?? "")
    }
}
