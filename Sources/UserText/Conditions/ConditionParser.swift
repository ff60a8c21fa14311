import FleetProtocol

extension Condition {
    static let longestText = 4_096
    static let deepest = 32

    /// Parses a condition; nil for a text without words. A single word is a state, such as `on`, or a
    /// ``DeviceSelector``; consecutive words without another meaning are a selector. Case is ignored. The
    /// error has the first column that cannot be parsed.
    public static func parse(_ text: String) throws(ConditionError) -> Condition? {
        let tokens = try tokens(of: text)
        switch (tokens.count, tokens.first?.kind) {
        case (1, _): return nil
        case (2, .word(let word)): return .word(word)
        default: break
        }
        var parser = ConditionParser(tokens: tokens)
        return try parser.parse()
    }

    /// Parses a selector of a command, in which a single word is always a ``DeviceSelector``: nil for a text
    /// that is no more than such a selector.
    public static func ofSeveralWords(_ text: String) throws(ConditionError) -> Condition? {
        guard try tokens(of: text).count > 2 else { return nil }
        return switch try parse(text) {
        case .text, .site, nil: nil
        case let condition: condition
        }
    }

    private static func tokens(of text: String) throws(ConditionError) -> [ConditionToken] {
        guard text.count <= longestText else {
            throw ConditionError(column: longestText + 1, problem: "longer than \(longestText) characters")
        }
        return try ConditionToken.all(in: text)
    }
}

extension Condition {
    /// The condition that a word without quotation marks stands for: a state or a ``DeviceSelector``.
    fileprivate static func word(_ word: String) -> Condition {
        StateWord(rawValue: word.lowercased()).map(Condition.state) ?? .selected(by: word)
    }

    /// The condition that a text without keywords stands for: a ``DeviceSelector``.
    package static func selected(by text: String) -> Condition {
        if let site = DeviceSelector.site(of: text) { return .site(site.lowercased()) }
        return .text(DeviceFilter(text))
    }
}

/// Parses tokens into a condition: `or` binds least, then `and`, then `not`.
private struct ConditionParser {
    private static let keywords = ["device", "site", "node", "model", "power", "presence", "outcome", "not"]
    private static let joints = ["and", "or"]

    private let tokens: [ConditionToken]
    private var place = 0
    private var depth = 0

    init(tokens: [ConditionToken]) { self.tokens = tokens }

    private var next: ConditionToken { tokens[place] }

    /// The next token's word in lower case; nil if the token is not a bare word.
    private var nextWord: String? {
        if case .word(let word) = next.kind { word.lowercased() } else { nil }
    }

    mutating func parse() throws(ConditionError) -> Condition {
        let condition = try parseAlternatives()
        guard next.kind == .end else { throw unexpected("and, or, or the end") }
        return condition
    }

    private func unexpected(_ allowed: String) -> ConditionError {
        ConditionError(column: next.column, problem: "unexpected \(next.label); allowed: \(allowed)")
    }

    private mutating func parseAlternatives() throws(ConditionError) -> Condition {
        var condition = try parseConjunction()
        while nextWord == "or" {
            place += 1
            condition = .or(condition, try parseConjunction())
        }
        return condition
    }

    private mutating func parseConjunction() throws(ConditionError) -> Condition {
        var condition = try parseOne()
        while nextWord == "and" {
            place += 1
            condition = .and(condition, try parseOne())
        }
        return condition
    }

    private mutating func parseOne() throws(ConditionError) -> Condition {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Condition.deepest else {
            throw ConditionError(
                column: next.column,
                problem: "brackets and nots nested more than \(Condition.deepest) deep")
        }
        switch next.kind {
        case .opening:
            place += 1
            let inner = try parseAlternatives()
            guard next.kind == .closing else { throw unexpected("and, or, or “)”") }
            place += 1
            return inner
        case .quoted(let text):
            place += 1
            return .selected(by: text)
        case .word(let word): return try parseTerm(word.lowercased())
        case .comparison, .closing, .end: throw unexpected(Self.beginnings)
        }
    }

    private static let beginnings =
        (keywords + Condition.Reading.allCases.map(\.rawValue)).joined(separator: ", ") + ", “(”, or a text"

    private mutating func parseTerm(_ word: String) throws(ConditionError) -> Condition {
        if let reading = Condition.Reading.allCases.first(where: { $0.rawValue.lowercased() == word }) {
            return try parseComparison(of: reading)
        }
        if word == "site:" {
            place += 1
            return .site(try parseValue("a site's name").lowercased())
        }
        guard Self.keywords.contains(word) else {
            guard !Self.joints.contains(word) else { throw unexpected(Self.beginnings) }
            return try parseText()
        }
        place += 1
        switch word {
        case "not": return .not(try parseOne())
        case "device": return try parseDevice()
        case "site": return .site(try parseValue("a site's name").lowercased())
        case "node": return .node(try parseValue("a node's name"))
        case "model": return .model(try parseChoice(of: ProductModel.allCases.map(\.rawValue)))
        case "outcome": return .outcome(try parseChoice(of: Condition.outcomes))
        case "power": return .state(try parseState { $0.isPower })
        default: return .state(try parseState { !$0.isPower })
        }
    }

    /// Parses consecutive words that are not keywords.
    private mutating func parseText() throws(ConditionError) -> Condition {
        var words: [String] = []
        while case .word(let word) = next.kind, !Self.joints.contains(word.lowercased()) {
            words.append(word)
            place += 1
        }
        if case .comparison = next.kind {
            let readings = Condition.Reading.allCases.map(\.rawValue).joined(separator: ", ")
            throw unexpected("a comparison of \(readings)")
        }
        return words.count == 1 ? .word(words[0]) : .selected(by: words.joined(separator: " "))
    }

    private mutating func parseDevice() throws(ConditionError) -> Condition {
        let name = Condition.DeviceName(try parseValue("a device's name or ID"))
        guard let word = nextWord, !Self.joints.contains(word) else { return .device(name, nil) }
        guard let state = Condition.StateWord(rawValue: word) else {
            throw unexpected(Self.list(Condition.StateWord.allCases.map(\.rawValue) + Self.joints))
        }
        place += 1
        return .device(name, state)
    }

    private mutating func parseState(
        _ isAllowed: (Condition.StateWord) -> Bool
    ) throws(ConditionError) -> Condition.StateWord {
        let allowed = Condition.StateWord.allCases.filter(isAllowed)
        let word = try parseChoice(of: allowed.map(\.rawValue))
        guard let state = Condition.StateWord(rawValue: word) else {
            preconditionFailure("not a state: \(word)")
        }
        return state
    }

    private mutating func parseChoice(of words: [String]) throws(ConditionError) -> String {
        guard let word = nextWord, words.contains(word) else { throw unexpected(Self.list(words)) }
        place += 1
        return word
    }

    private mutating func parseValue(_ what: String) throws(ConditionError) -> String {
        switch next.kind {
        case .word(let text), .quoted(let text):
            place += 1
            return text
        case .comparison, .opening, .closing, .end:
            throw unexpected("\(what), in quotation marks if it has spaces")
        }
    }

    private mutating func parseComparison(of reading: Condition.Reading) throws(ConditionError) -> Condition {
        place += 1
        guard case .comparison(let comparison) = next.kind else {
            throw unexpected(Self.list(Condition.Comparison.allCases.map(\.rawValue)))
        }
        place += 1
        guard let word = nextWord, let tenths = Self.tenths(word) else {
            throw unexpected("a number with one decimal at most, such as 26 or 26.5")
        }
        place += 1
        return .reading(reading, comparison, tenths: tenths)
    }

    /// Parses a number as tenths; nil if it is not a number, has more than one decimal, or is 100,000 or
    /// more.
    private static func tenths(_ word: String) -> Int? {
        let isNegative = word.hasPrefix("-")
        let parts = word.dropFirst(isNegative ? 1 : 0).split(separator: ".", omittingEmptySubsequences: false)
        let areDigits = parts.allSatisfy(\.isDecimal)
        guard areDigits, parts.count <= 2, parts[0].count <= 5, let whole = Int(parts[0]) else { return nil }
        guard parts.count == 1 || parts[1].count == 1 else { return nil }
        let tenths = whole * 10 + (parts.count == 2 ? Int(parts[1]) ?? 0 : 0)
        return isNegative ? -tenths : tenths
    }

    private static func list(_ words: [String]) -> String { words.joined(separator: ", ") }
}
