import UserText

/// An uninterpreted value of a file, with its position.
package struct Entry {
    package enum Content {
        /// A word, a number or a text, and whether it was quoted or a block scalar.
        case scalar(String, isQuoted: Bool)
        case list([Entry])
        /// Unique keys with their places and values.
        case mapping([(key: String, place: Place, value: Entry)])
    }

    private static let repeatedCharacters = 40

    package let place: Place
    package let content: Content

    var isMissing: Bool {
        guard case .scalar(let text, isQuoted: false) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// A description of the content, for error messages.
    package var found: String {
        switch content {
        case .scalar where isMissing: "nothing"
        case .scalar(let text, let isQuoted): Self.repeated(text) + (isQuoted ? " in quotes" : "")
        case .list(let entries): entries.isEmpty ? "an empty list" : "a list of \(entries.count)"
        case .mapping(let pairs): pairs.isEmpty ? "an empty mapping" : "a mapping of \(pairs.count)"
        }
    }

    /// Returns a text of the file for an error message: escaped, quoted and truncated.
    package static func repeated(_ text: String) -> String {
        let safe = SafeText.of(String(text.prefix(repeatedCharacters + 1)))
        return safe.count > repeatedCharacters ? "'\(safe.prefix(repeatedCharacters))…'" : "'\(safe)'"
    }
}

package struct Place: Hashable, Sendable {
    package static let file = Place(line: nil, column: nil, path: "")

    /// The line, from 1; nil for the file as a whole.
    package let line: Int?
    /// The character in the line, from 1.
    let column: Int?
    package let path: String

    package init(line: Int?, column: Int?, path: String) {
        (self.line, self.column, self.path) = (line, column, path)
    }
}

/// A reader of entries, which collects all problems. An invalid value is skipped and reading continues, so
/// one pass finds every problem.
package protocol EntryReader {
    var findings: Findings { get set }
}

extension EntryReader {
    /// Returns the values of a mapping by their keys; nil without a mapping. Unknown keys are reported as
    /// problems, and left out.
    package mutating func fields(of entry: Entry?, _ keys: [String]) -> [String: Entry]? {
        guard let entry else { return nil }
        guard case .mapping(let pairs) = entry.content else {
            refuse(entry, "a mapping of " + keys.joined(separator: ", "))
            return nil
        }
        var fields: [String: Entry] = [:]
        for (key, place, value) in pairs {
            guard keys.contains(key) else {
                let hint = NearestWord.hint(for: key, among: keys)
                findings.add(place, found: "an unknown key" + hint, allowed: keys.joined(separator: ", "))
                continue
            }
            fields[key] = value
        }
        return fields
    }

    /// Returns the values of a list; nil without a list.
    package mutating func list(_ entry: Entry?, upTo limit: Int, _ what: String) -> [Entry]? {
        guard let entry else { return nil }
        guard case .list(let entries) = entry.content, (1...limit).contains(entries.count) else {
            refuse(entry, "a list of 1 to \(NumberText.of(Double(limit))) \(what)")
            return nil
        }
        return entries
    }

    /// Returns a number, written with digits and at most one decimal point.
    package mutating func number(_ entry: Entry?, in range: ClosedRange<Double>, _ unit: String) -> Double? {
        let allowed =
            "a number from \(NumberText.of(range.lowerBound)) to \(NumberText.of(range.upperBound)), \(unit)"
        return scalar(entry, allowed) { text, isQuoted in
            guard !isQuoted, let number = Self.decimal(text), range.contains(number) else { return nil }
            return number
        }
    }

    /// Returns a number without a fraction.
    package mutating func whole(_ entry: Entry?, in range: ClosedRange<Int>, _ unit: String) -> Int? {
        let bounds = [range.lowerBound, range.upperBound].map(FigureText.count)
        return scalar(entry, "a whole number from \(bounds[0]) to \(bounds[1]), \(unit)") { text, isQuoted in
            guard !isQuoted, !text.contains("."), Self.decimal(text) != nil, let number = Int(text),
                range.contains(number)
            else { return nil }
            return number
        }
    }

    mutating func probability(_ entry: Entry?) -> Double? {
        number(entry, in: 0...1, "0 for never and 1 for always")
    }

    /// Returns a duration: `200ms`, `5s`, `1.5m`, `2h`.
    package mutating func duration(_ entry: Entry?, in range: ClosedRange<Duration>) -> Duration? {
        let bounds = [range.lowerBound, range.upperBound].map(DurationText.text)
        let allowed = "a duration from \(bounds[0]) to \(bounds[1]), such as 200ms, 5s, 2m or 1h"
        return scalar(entry, allowed) { text, _ in
            do throws(DurationText.Invalid) {
                let duration = try DurationText.parse(text)
                return range.contains(duration) ? duration : nil
            } catch {
                return nil
            }
        }
    }

    package mutating func choice<Choice: CaseIterable & RawRepresentable<String>>(_ entry: Entry?) -> Choice?
    {
        word(entry, Choice.allCases.map { ($0.rawValue, $0) })
    }

    /// Returns the value of the word that a scalar has; nil without a scalar that is one of the words.
    package mutating func word<Value>(_ entry: Entry?, _ words: [(name: String, value: Value)]) -> Value? {
        let names = words.map(\.name)
        var allowed = names.joined(separator: ", ")
        if case .scalar(let text, _)? = entry?.content {
            allowed += NearestWord.hint(for: text, among: names)
        }
        return scalar(entry, allowed) { text, _ in words.first { $0.name == text }?.value }
    }

    /// Reports an entry as a problem, with the values that are allowed in its place.
    package mutating func refuse(_ entry: Entry, _ allowed: String) {
        findings.add(entry.place, found: entry.found, allowed: allowed)
    }

    /// Returns the meaning of a scalar; nil without one, or if it is not allowed, which is reported.
    package mutating func scalar<Value>(
        _ entry: Entry?, _ allowed: String, _ read: (_ text: String, _ isQuoted: Bool) -> Value?
    ) -> Value? {
        guard let entry else { return nil }
        if case .scalar(let text, let isQuoted) = entry.content, !entry.isMissing,
            let value = read(text, isQuoted)
        {
            return value
        }
        refuse(entry, allowed)
        return nil
    }

    /// Parses digits with at most one point between them. Other notations of numbers mean different things to
    /// different YAML parsers: exponents, other bases, 010.
    private static func decimal(_ text: String) -> Double? {
        let digits = text.hasPrefix("-") ? text.dropFirst() : text[...]
        let parts = digits.split(separator: ".", omittingEmptySubsequences: false)
        guard text.utf8.count <= 24, (1...2).contains(parts.count),
            parts.allSatisfy({ !$0.isEmpty && $0.utf8.allSatisfy { (48...57).contains($0) } }),
            parts[0] == "0" || !parts[0].hasPrefix("0")
        else { return nil }
        return Double(text)
    }

    /// Reads a text of printable characters that is not longer than a limit.
    package mutating func printable(
        _ entry: Entry?, _ allowed: String, _ read: (_ text: String) -> String?
    ) -> String? {
        var hidden = ""
        if case .scalar(let text, _)? = entry?.content, let problem = SafeText.problem(in: text) {
            hidden = "; \(problem)"
        }
        return scalar(entry, allowed + hidden) { text, _ in
            read(text).flatMap { !$0.isEmpty && SafeText.isVisible($0) ? $0 : nil }
        }
    }
}
