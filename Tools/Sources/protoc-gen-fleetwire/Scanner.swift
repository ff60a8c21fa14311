/// Reads the words of one line of a mapping.
struct Scanner {
    private(set) var rest: Substring

    init(_ line: String) {
        rest = line[...]
        skipSpaces()
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func skipSpaces() { rest = rest.drop { $0 == " " } }

    /// Whether the line goes on with that text, which is passed over.
    mutating func accept(_ text: String) -> Bool {
        guard rest.hasPrefix(text) else { return false }
        skip(text.count)
        return true
    }

    /// Passes over characters, and the spaces behind them.
    mutating func skip(_ count: Int) {
        rest = rest.dropFirst(count)
        skipSpaces()
    }

    mutating func expect(_ text: String) throws(MappingError) {
        guard accept(text) else { throw MappingError("expected \(text) before: \(rest)") }
    }

    /// A word of letters, digits, dots and underscores.
    mutating func word() throws(MappingError) -> String {
        let word = rest.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "." }
        guard !word.isEmpty else { throw MappingError("expected a name before: \(rest)") }
        skip(word.count)
        return String(word)
    }

    /// The words up to the end of the line.
    mutating func words() throws(MappingError) -> [String] {
        var words: [String] = []
        while !isAtEnd { words.append(try word()) }
        return words
    }

    /// A Swift type: a name, or an array of one.
    mutating func type() throws(MappingError) -> String {
        guard accept("[") else { return try word() }
        let element = try word()
        try expect("]")
        return "[\(element)]"
    }

    /// A text between quotation marks.
    mutating func quoted() throws(MappingError) -> String {
        guard rest.hasPrefix("\""), let end = rest.dropFirst().firstIndex(of: "\"") else {
            throw MappingError("expected a text in quotation marks before: \(rest)")
        }
        let text = String(rest[rest.index(after: rest.startIndex)..<end])
        rest = rest[rest.index(after: end)...]
        skipSpaces()
        return text
    }

    /// A Swift expression, up to what is expected of it or the end of the line.
    mutating func expression() -> String {
        let end = rest.firstRange(of: " expected ")?.lowerBound ?? rest.endIndex
        let text = String(rest[..<end])
        rest = rest[end...]
        skipSpaces()
        return text
    }

    /// Arguments in parentheses; `...` stands for the remaining fields.
    mutating func arguments() throws(MappingError) -> (arguments: [Argument], hasRest: Bool) {
        try expect("(")
        var (arguments, hasRest) = ([Argument](), false)
        while !accept(")") {
            if !arguments.isEmpty || hasRest { try expect(",") }
            if accept("...") { hasRest = true } else { arguments.append(try argument()) }
        }
        return (arguments, hasRest)
    }

    private mutating func argument() throws(MappingError) -> Argument {
        var label: String?
        var name = try word()
        let isUnnamed = name == "_"
        if isUnnamed {
            name = try word()
        } else if accept(":") {
            label = name
            name = try word()
        } else if accept("=") {
            let text = rest.prefix { $0 != "," && $0 != ")" }
            rest = rest.dropFirst(text.count)
            return Argument(label: name, source: .expression(String(text)))
        }
        guard rest.hasPrefix("(") else {
            return Argument(label: isUnnamed ? nil : label ?? Argument.sameName, source: .field(name))
        }
        return Argument(label: label, source: .value(type: name, arguments: try arguments().arguments))
    }
}

extension Argument {
    /// The label of an argument that is called as its property.
    static let sameName = "="
}

/// A mapping that cannot be read, or does not fit `proto/`.
struct MappingError: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}
