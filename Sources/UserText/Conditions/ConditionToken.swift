struct ConditionToken: Equatable {
    enum Kind: Equatable {
        case word(String)
        case quoted(String)
        case comparison(Condition.Comparison)
        case opening
        case closing
        case end
    }

    let kind: Kind
    /// The column of its first character, from 1.
    let column: Int

    var label: String {
        switch kind {
        case .word(let text), .quoted(let text): "“\(SafeText.of(text))”"
        case .comparison(let comparison): "“\(comparison.rawValue)”"
        case .opening: "“(”"
        case .closing: "“)”"
        case .end: "end of the condition"
        }
    }

    private static let marks: Set<Character> = ["\"", "(", ")", "<", ">", "=", "!"]

    /// Returns the tokens of a text, followed by an end token; fails without an end of quotation.
    static func all(in text: String) throws(ConditionError) -> [ConditionToken] {
        var tokens: [ConditionToken] = []
        var rest = Array(text)[...]
        while let first = rest.first {
            let column = rest.startIndex + 1
            if first.isWhitespace {
                rest.removeFirst()
                continue
            }
            let kind: Kind =
                switch first {
                case "(", ")": bracketKind(first, &rest)
                case "\"": try parseQuoted(&rest)
                case "<", ">", "=", "!": try parseComparison(&rest)
                default: parseWord(&rest)
                }
            tokens.append(ConditionToken(kind: kind, column: column))
        }
        tokens.append(ConditionToken(kind: .end, column: rest.endIndex + 1))
        return tokens
    }

    private static func bracketKind(_ bracket: Character, _ rest: inout ArraySlice<Character>) -> Kind {
        rest.removeFirst()
        return bracket == "(" ? .opening : .closing
    }

    private static func parseWord(_ rest: inout ArraySlice<Character>) -> Kind {
        let word = rest.prefix { !$0.isWhitespace && !marks.contains($0) }
        rest = rest[word.endIndex...]
        return .word(String(word))
    }

    /// Consumes a text in quotation marks, in which `\"` and `\\` stand for a quotation mark and a backslash.
    private static func parseQuoted(_ rest: inout ArraySlice<Character>) throws(ConditionError) -> Kind {
        let column = rest.startIndex + 1
        rest.removeFirst()
        var text = ""
        while let next = rest.popFirst() {
            if next == "\"" { return .quoted(text) }
            if next == "\\", let escaped = rest.first, escaped == "\"" || escaped == "\\" {
                rest.removeFirst()
                text.append(escaped)
            } else {
                text.append(next)
            }
        }
        throw ConditionError(column: column, problem: "unterminated quotation mark")
    }

    private static func parseComparison(_ rest: inout ArraySlice<Character>) throws(ConditionError) -> Kind {
        let column = rest.startIndex + 1
        for length in [2, 1] {
            guard let comparison = Condition.Comparison(rawValue: String(rest.prefix(length))) else {
                continue
            }
            rest = rest.dropFirst(length)
            return .comparison(comparison)
        }
        throw ConditionError(
            column: column,
            problem: "unexpected “!”; write != to compare, or not to negate a condition")
    }
}
