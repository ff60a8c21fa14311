import Wording
import Yams

/// Makes entries of YAML, and refuses what no scenario and no sequence needs: aliases, anchors, tags, and
/// what lies deep.
struct EntryTree {
    /// What the file is made of, for the words of errors.
    var whole = ScenarioReader.sectionsInWords
    /// What it is, for the words of errors.
    var kind = "a scenario"
    private(set) var findings = Findings()

    /// The whole of a text; nil when something was wrong.
    mutating func root(of text: String) -> Entry? {
        guard hasFewSigns(text) else { return nil }
        do {
            // The plain resolver: which words are numbers is for the reader to say, key by key.
            let parser = try Parser(yaml: text, resolver: .basic, encoding: .utf8)
            guard let node = try parser.singleRoot() else {
                findings.add(.file, found: "nothing", allowed: whole)
                return nil
            }
            let entry = entry(of: node, path: "", depth: 0)
            // The nodes' anchors live no longer than their parser.
            return withExtendedLifetime(parser) { findings.isEmpty ? entry : nil }
        } catch {
            findings.add(error, in: text)
            return nil
        }
    }

    /// Whether there are so few signs of aliases and of keys that are no words that they cost nothing.
    ///
    /// The parser puts a copy for each alias, and compares the keys of mappings with all that is in them,
    /// before anybody could look for either in what it made.
    private mutating func hasFewSigns(_ text: String) -> Bool {
        var stars = 0
        var questions = 0
        var line = 1
        var previous = UInt8(ascii: "\n")
        for byte in text.utf8 {
            if previous == UInt8(ascii: "*"), Self.isWordCharacter(byte) { stars += 1 }
            // Behind a letter it only ends a question.
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
        // Whatever an alias stands for has an anchor: refused here, it is never followed.
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

/// A value of a file, not understood yet, and where it stands.
struct Entry {
    /// What it is.
    enum Content {
        /// A word, a number or a text; whether it stood in quotes, or in a block of its own.
        case scalar(String, isQuoted: Bool)
        /// Values in a row.
        case list([Entry])
        /// Keys with their values, each key once; and where each key stands.
        case mapping([(key: String, place: Place, value: Entry)])
    }

    /// Characters of a text that an error repeats.
    private static let repeatedCharacters = 40

    let place: Place
    let content: Content

    /// Whether nothing was written where a value belongs.
    var isMissing: Bool {
        guard case .scalar(let text, isQuoted: false) = content else { return false }
        return ["", "~", "null", "Null", "NULL"].contains(text)
    }

    /// What it is, for the words of an error.
    var found: String {
        switch content {
        case .scalar where isMissing: "nothing"
        case .scalar(let text, let isQuoted): Self.repeated(text) + (isQuoted ? " in quotes" : "")
        case .list(let entries): entries.isEmpty ? "an empty list" : "a list of \(entries.count)"
        case .mapping(let pairs): pairs.isEmpty ? "an empty mapping" : "a mapping of \(pairs.count)"
        }
    }

    /// A text of the file made fit for an error: safe, and cut where it is long.
    static func repeated(_ text: String) -> String {
        let safe = SafeText.of(String(text.prefix(repeatedCharacters + 1)))
        return safe.count > repeatedCharacters ? "'\(safe.prefix(repeatedCharacters))…'" : "'\(safe)'"
    }
}

/// Where something stands in a file.
struct Place: Hashable, Sendable {
    /// The file as a whole.
    static let file = Place(line: nil, column: nil, path: "")

    /// The line, from 1; nil for the file as a whole.
    let line: Int?
    /// The character in the line, from 1.
    let column: Int?
    /// The keys that lead there.
    let path: String
}
