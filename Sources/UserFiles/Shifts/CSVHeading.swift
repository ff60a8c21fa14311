import UserText

/// The columns of a shift file, by the names in its heading.
struct CSVHeading {
    /// The fields of a shift.
    struct Fields {
        let who: String
        /// The email field; nil without such a column.
        let email: String?
        let from: String
        let to: String
    }

    private static let required = ["who", "from", "to"]

    private let columns: [String]

    /// The columns with those names.
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
