/// How a Swift type is stored in a file: as fields in a fixed order.
struct RecordDeclaration {
    /// The layout of the type's fields.
    enum Layout {
        /// The fields of a structure.
        case fields([RecordField])
        /// A byte with a bit for each optional field that is present, and these fields.
        case flags([RecordField])
        /// A byte for the case of an enum, and the case's payload.
        case cases([RecordCase])
        /// The raw value of an enum, one byte.
        case byte
    }

    let type: String
    var layout: Layout
    /// Whether the initializer returns nil for values that are not allowed.
    var isFailable = false
    /// A rule over the fields.
    var condition: String?
    /// The arguments of the initializer, where they are not the fields.
    var arguments: String?
    /// The error that the initializer throws.
    var thrownError: String?
    /// The field that an error names when the value is not allowed.
    var malformed: String?
}

/// One field of a record.
struct RecordField {
    /// The number of elements of an array.
    enum Count {
        /// A number of that type before the elements, and the most that is allowed.
        case stored(type: String, limit: String?)
        /// As many as another array has.
        case sameAs(String)
    }

    /// The label in the initializer; nil for none.
    var label: String?
    /// The name of the variable, and of the property.
    var name: String
    var type: String
    /// The expression that is written.
    var written: String
    /// Its name in errors.
    var errorName: String
    /// A byte that is always the same; such a field is no argument.
    var constant: String?
    /// Set for an array; the type is that of an element.
    var count: Count?
}

/// A case of an enum and the byte that stands for it.
struct RecordCase {
    let code: String
    let name: String
    var payload: [RecordField] = []
    /// The pattern that a written value matches, and the value that is read, where the payload differs.
    var pattern: String?
    var value: String?
    /// The function that reads a case that is not written any more.
    var reader: String?
}

/// The records of one module.
struct RecordModule {
    var imports: [String] = []
    var records: [RecordDeclaration] = []

    /// Reads a file of declarations: one a line, with the cases of an enum indented beneath.
    init(_ text: String, of file: String) throws(MappingError) {
        for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
            let code = line.firstRange(of: "#").map { line[..<$0.lowerBound] } ?? line[...]
            guard code.contains(where: { $0 != " " }) else { continue }
            do throws(MappingError) {
                try read(String(code), isIndented: code.hasPrefix(" "))
            } catch {
                throw MappingError("\(file):\(index + 1): \(error)")
            }
        }
    }

    private mutating func read(_ line: String, isIndented: Bool) throws(MappingError) {
        var scanner = Scanner(line)
        if isIndented {
            guard let last = records.indices.last, case .cases(let cases) = records[last].layout else {
                throw MappingError("an indented line without a record above it")
            }
            records[last].layout = .cases(cases + [try scanner.recordCase()])
        } else if line.hasPrefix("import ") || line.hasPrefix("public import ") {
            return imports.append(line)
        } else {
            records.append(try scanner.recordDeclaration())
        }
        guard scanner.isAtEnd else { throw MappingError("unexpected: \(scanner.rest)") }
    }
}

extension Scanner {
    fileprivate mutating func recordDeclaration() throws(MappingError) -> RecordDeclaration {
        let kind = try word()
        var record = RecordDeclaration(type: try word(), layout: .byte)
        record.isFailable = accept("?")
        switch kind {
        case "record": record.layout = .fields(try recordFields(named: true))
        case "flags": record.layout = .flags(try recordFields(named: true))
        case "cases": record.layout = .cases([])
        case "byte": break
        default: throw MappingError("unexpected: \(kind)")
        }
        if accept("where ") {
            record.condition = text(upTo: " malformed ")
            try expect("malformed ")
            record.malformed = try quoted()
        }
        if accept("as ") { record.arguments = try parenthesized() }
        if accept("throws ") { record.thrownError = try word() }
        if accept("malformed ") { record.malformed = try quoted() }
        return record
    }

    fileprivate mutating func recordCase() throws(MappingError) -> RecordCase {
        let code = try word()
        if accept("read by ") { return RecordCase(code: code, name: "", reader: try word()) }
        var one = RecordCase(code: code, name: try word())
        if rest.hasPrefix("(") { one.payload = try recordFields(named: false) }
        if accept("from ") { one.pattern = text(upTo: " as ") }
        if accept("as ") { one.value = text(upTo: "\n") }
        return one
    }

    private mutating func recordFields(named: Bool) throws(MappingError) -> [RecordField] {
        try expect("(")
        var fields: [RecordField] = []
        while !accept(")") {
            if !fields.isEmpty { try expect(",") }
            fields.append(try recordField(fields.count, named: named))
        }
        return fields
    }

    /// One field: `label: Type`, `_ property: Type`, a constant byte, or the type alone of a case's payload.
    private mutating func recordField(_ place: Int, named: Bool) throws(MappingError) -> RecordField {
        var field = RecordField(name: "value\(place)", type: "", written: "", errorName: "")
        if rest.first?.isNumber == true {
            field.constant = try word()
            field.errorName = try quoted()
            return field
        }
        let isUnlabelled = accept("_ ")
        let colon = rest.firstIndex(of: ":")
        if named || colon.map({ rest[..<$0].allSatisfy { $0.isLetter || $0.isNumber } }) == true {
            field.name = try word()
            if !isUnlabelled { field.label = field.name }
            try expect(":")
        }
        if accept("[") {
            field.type = try word()
            try expect("]")
            if accept("for each ") {
                field.count = .sameAs(try word())
            } else {
                try expect("behind ")
                field.count = .stored(type: try word(), limit: accept("at most ") ? try word() : nil)
            }
        } else {
            field.type = try word()
            if accept("?") { field.type += "?" } else if accept("!") { field.type += "!" }
        }
        field.errorName = rest.hasPrefix("\"") ? try quoted() : field.name
        field.written = accept("= ") ? nested() : field.name
        return field
    }

    /// What is between parentheses, which may be nested.
    private mutating func parenthesized() throws(MappingError) -> String {
        try expect("(")
        let text = nested(separator: ")")
        try expect(")")
        return text
    }

    /// An expression, up to a comma or the end of the arguments that it is one of.
    private mutating func nested(separator: Character = ",") -> String {
        var depth = 0
        let text = rest.prefix { character in
            if depth == 0, character == separator || character == ")" { return false }
            if character == "(" || character == "{" { depth += 1 }
            if character == ")" || character == "}" { depth -= 1 }
            return true
        }
        skip(text.count)
        return String(text)
    }

    /// What is before a text, which is not passed over, or all that is left.
    private mutating func text(upTo end: String) -> String {
        let text = rest[..<(rest.firstRange(of: end)?.lowerBound ?? rest.endIndex)]
        skip(text.count)
        return String(text)
    }
}
