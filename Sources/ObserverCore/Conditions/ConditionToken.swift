import UserText

/// A word of a condition's text, with the column where it begins.
struct ConditionToken: Equatable {
    /// The kinds of word.
    enum Kind: Equatable {
        case word(String)
        case quoted(String)
        case comparison(Condition.Comparison)
        case opening
        case closing
        case end
    }

    let kind: Kind
    /// From 1, in characters.
    let column: Int

    /// What it is called in an error.
    var label: String {
        switch kind {
        case .word(let text), .quoted(let text): "“\(SafeText.of(text))”"
        case .comparison(let comparison): "“\(comparison.rawValue)”"
        case .opening: "“(”"
        case .closing: "“)”"
        case .end: "the end"
        }
    }

    private static let marks: Set<Character> = ["\"", "(", ")", "<", ">", "=", "!"]

    /// The words of a text, and its end behind them.
    ///
    /// - Throws: A quotation mark that is never closed, and a `!` without `=`.
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
                case "(", ")": take(first, &rest)
                case "\"": try takeQuoted(&rest)
                case "<", ">", "=", "!": try takeComparison(&rest)
                default: takeWord(&rest)
                }
            tokens.append(ConditionToken(kind: kind, column: column))
        }
        tokens.append(ConditionToken(kind: .end, column: rest.endIndex + 1))
        return tokens
    }

    private static func take(_ bracket: Character, _ rest: inout ArraySlice<Character>) -> Kind {
        rest.removeFirst()
        return bracket == "(" ? .opening : .closing
    }

    private static func takeWord(_ rest: inout ArraySlice<Character>) -> Kind {
        let word = rest.prefix { !$0.isWhitespace && !marks.contains($0) }
        rest = rest[word.endIndex...]
        return .word(String(word))
    }

    /// A text in quotation marks; `\"` and `\\` in it stand for a mark and a backslash.
    private static func takeQuoted(_ rest: inout ArraySlice<Character>) throws(ConditionError) -> Kind {
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

    private static func takeComparison(_ rest: inout ArraySlice<Character>) throws(ConditionError) -> Kind {
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
