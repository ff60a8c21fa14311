public import CommandQueueFiles
import UserText
import Yams

/// Builds entries from YAML, and rejects features that neither scenarios nor queues use: aliases, anchors,
/// tags and deep nesting.
package struct EntryTree {
    /// The allowed content of the file, for error messages.
    private let whole: String
    /// The kind of the file, for error messages.
    private let kind: String
    private var findings = Findings()

    private init(whole: String, kind: String) { (self.whole, self.kind) = (whole, kind) }

    /// Parses a text into its root entry; returns nil if there are findings.
    private mutating func root(of text: String) -> Entry? {
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

    /// Returns whether a text has few signs of aliases and of complex keys, so that parsing is cheap.
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
            // A question mark directly after a letter is punctuation.
            if byte == UInt8(ascii: "?"), !Self.isWordCharacter(previous) { questions += 1 }
            if max(stars, questions) > FileLimits.signs {
                findings.add(
                    Place(line: line, column: nil, path: ""),
                    found: "more than \(FileLimits.signs) words that begin with a * or a ?",
                    allowed: "plain values: aliases and complex keys are not supported")
                return false
            }
            if byte == UInt8(ascii: "\n") { line += 1 }
            previous = byte
        }
        return true
    }

    /// Returns whether a byte can be part of an alias's name.
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
            findings.add(place, found: "an anchor (&)", allowed: "plain values: anchors are not supported")
            return nil
        }
        guard depth <= FileLimits.depth else {
            findings.add(
                place, found: "lists and mappings nested more than \(FileLimits.depth) levels deep",
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
            findings.add(place, found: "an alias (*)", allowed: "plain values: aliases are not supported")
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
                    found: "a key that is not a word", allowed: "keys such as speed: or rooms:")
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
            allowed: "plain values: tags are not supported")
        return false
    }
}

extension EntryTree {
    /// Returns the root entry of a text in YAML or JSON.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8.
    ///   - file: The text's source, for error messages.
    ///   - kind: The kind of the text, for error messages, such as `a scenario`.
    ///   - content: The allowed content, for error messages.
    /// - Throws: ``InvalidFile`` with all problems; a text that is not valid YAML has a single problem.
    package static func root(
        of bytes: [UInt8], file: String, kind: String, content: String
    ) throws(InvalidFile) -> Entry {
        let text = try text(of: bytes, file: file)
        var tree = EntryTree(whole: content, kind: kind)
        guard let root = tree.root(of: text) else { throw tree.findings.error(in: file) }
        return root
    }

    /// Returns the text of a file, as ``WrittenText`` does.
    ///
    /// - Throws: ``InvalidFile`` if it is too long, or not UTF-8.
    package static func text(of bytes: [UInt8], file: String) throws(InvalidFile) -> String {
        var findings = Findings()
        guard bytes.count <= FileLimits.bytes else {
            findings.add(
                .file, found: "more than \(FileLimits.bytes / 1_024) KiB",
                allowed: "at most \(FileLimits.bytes / 1_024) KiB")
            throw findings.error(in: file)
        }
        guard let text = WrittenText.text(of: bytes) else {
            findings.add(.file, found: "bytes that are not valid UTF-8", allowed: "text in UTF-8")
            throw findings.error(in: file)
        }
        return text
    }
}

extension QueueFile {
    /// The command queue of a text in YAML or JSON.
    ///
    /// - Parameters:
    ///   - bytes: The text, UTF-8.
    ///   - file: The text's source, for error messages.
    /// - Throws: ``InvalidFile`` with all problems.
    public init(_ bytes: [UInt8], file: String) throws(InvalidFile) {
        let root = try EntryTree.root(of: bytes, file: file, kind: "a command queue", content: Self.content)
        try self.init(root, file: file)
    }
}
