import UserText
import Yams

/// Builds entries from YAML, and rejects features that neither scenarios nor sequences use: aliases, anchors,
/// tags and deep nesting.
struct EntryTree {
    /// The allowed content of the file, for error messages.
    var whole = ScenarioReader.sectionsInWords
    /// The kind of the file, for error messages.
    var kind = "a scenario"
    private(set) var findings = Findings()

    /// Parses a text into its root entry; returns nil if there are findings.
    mutating func root(of text: String) -> Entry? {
        guard hasFewSigns(text) else { return nil }
        do {
            // The basic resolver: the reader decides key by key which scalars are numbers.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            guard let node = try parser.singleRoot() else {
                findings.add(.file, found: "nothing", allowed: whole)
                return nil
            }
            let entry = entry(of: node, path: "", depth: 0)
            // The nodes' anchors are valid only as long as their parser.
            return withExtendedLifetime(parser) { findings.isEmpty ? entry : nil }
        } catch {
            findings.add(error, in: text)
            return nil
        }
    }

    /// Whether a text has few signs of aliases and of complex keys, so that parsing is cheap.
    ///
    /// The parser copies the node of each alias and compares mapping keys with all their content. Both happen
    /// before its result can be checked.
    private mutating func hasFewSigns(_ text: String) -> Bool {
        var stars = 0
        var questions = 0
        var line = 1
        var previous = UInt8(ascii: "\n")
        for byte in text.utf8 {
            if previous == UInt8(ascii: "*"), Self.isWordCharacter(byte) { stars += 1 }
            // A question mark after a letter only ends a question.
            if byte == UInt8(ascii: "?"), !Self.isWordCharacter(previous) { questions += 1 }
            if max(stars, questions) > ScenarioLimits.signs {
                findings.add(
                    Place(line: line, column: nil, path: ""),
                    found: "more than \(ScenarioLimits.signs) words that begin with a * or a ?",
                    allowed: "plain values: aliases, and keys that are no words, are not understood")
                return false
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            previous = byte
        }
        return true
    }

    /// Whether a byte can be part of an alias's name.
    private static func isWordCharacter(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "_"), UInt8(ascii: "-"):
            true
        default: false
        }
    }

    private mutating func entry(of node: Node, path: String, depth: Int) -> Entry? {
        let place = Place(line: node.mark?.line, column: node.mark?.column, path: path)
        // The target of an alias has an anchor, so aliases are rejected here and never followed.
        if node.anchor != nil {
            findings.add(place, found: "an anchor (&)", allowed: "plain values: anchors are not understood")
            return nil
        }
        guard depth <= ScenarioLimits.depth else {
            findings.add(
                place, found: "lists and mappings in each other more than \(ScenarioLimits.depth) deep",
                allowed: "the keys of \(kind)")
            return nil
        }
        switch node {
        case .scalar(let scalar):
            let isQuoted = scalar.style != .plain
            guard isUntagged(scalar.tag, isQuoted ? .str : .implicit, at: place) else { return nil }
            return Entry(place: place, content: .scalar(scalar.string, isQuoted: isQuoted))
        case .sequence(let sequence):
            guard isUntagged(sequence.tag, .implicit, at: place) else { return nil }
            let entries = sequence.enumerated().compactMap { index, node in
                entry(of: node, path: "\(path)[\(index)]", depth: depth + 1)
            }
            return Entry(place: place, content: .list(entries))
        case .mapping(let mapping):
            guard isUntagged(mapping.tag, .implicit, at: place) else { return nil }
            return Entry(place: place, content: .mapping(pairs(of: mapping, path: path, depth: depth)))
        case .alias:
            findings.add(place, found: "an alias (*)", allowed: "plain values: aliases are not understood")
            return nil
        }
    }

    private mutating func pairs(
        of mapping: Node.Mapping, path: String, depth: Int
    ) -> [(key: String, place: Place, value: Entry)] {
        mapping.compactMap { pair in
            let mark = pair.key.mark
            guard case .scalar(let scalar) = pair.key, pair.key.anchor == nil else {
                findings.add(
                    Place(line: mark?.line, column: mark?.column, path: path),
                    found: "a key that is no word", allowed: "keys such as speed: or rooms:")
                return nil
            }
            let key = Entry.repeated(scalar.string).dropFirst().dropLast()
            let inner = path.isEmpty ? String(key) : "\(path).\(key)"
            let place = Place(line: mark?.line, column: mark?.column, path: inner)
            guard let value = entry(of: pair.value, path: inner, depth: depth + 1) else { return nil }
            return (scalar.string, place, value)
        }
    }

    private mutating func isUntagged(_ tag: Tag, _ usual: Tag.Name, at place: Place) -> Bool {
        if tag.rawValue == usual.rawValue || tag.rawValue == Tag.Name.implicit.rawValue { return true }
        findings.add(
            place, found: "the tag \(Entry.repeated(tag.rawValue))",
            allowed: "plain values: tags are not understood")
        return false
    }
}

/// An uninterpreted value of a file, with its place.
struct Entry {
    /// The content of an entry.
    enum Content {
        /// A word, a number or a text; and whether it was quoted or a block scalar.
        case scalar(String, isQuoted: Bool)
        /// A list of values.
        case list([Entry])
        /// Unique keys with their places and values.
        case mapping([(key: String, place: Place, value: Entry)])
    }

    /// The characters of a text that an error message repeats.
    private static let repeatedCharacters = 40

    let place: Place
    let content: Content

    /// Whether the value is empty or null.
    var isMissing: Bool {
        guard case .scalar(let text, isQuoted: false) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// A description of the content, for error messages.
    var found: String {
        switch content {
        case .scalar where isMissing: "nothing"
        case .scalar(let text, let isQuoted): Self.repeated(text) + (isQuoted ? " in quotes" : "")
        case .list(let entries): entries.isEmpty ? "an empty list" : "a list of \(entries.count)"
        case .mapping(let pairs): pairs.isEmpty ? "an empty mapping" : "a mapping of \(pairs.count)"
        }
    }

    /// Returns a text of the file for an error message: escaped, quoted and truncated.
    static func repeated(_ text: String) -> String {
        let safe = SafeText.of(String(text.prefix(repeatedCharacters + 1)))
        return safe.count > repeatedCharacters ? "'\(safe.prefix(repeatedCharacters))…'" : "'\(safe)'"
    }
}

/// A position in a file.
struct Place: Hashable, Sendable {
    /// The file as a whole.
    static let file = Place(line: nil, column: nil, path: "")

    /// The line, from 1; nil for the file as a whole.
    let line: Int?
    /// The character in the line, from 1.
    let column: Int?
    /// The path of keys to the position.
    let path: String
}
