import UserText

/// Builds entries from YAML, and rejects features that neither scenarios nor queues use: aliases, anchors,
/// tags and deep nesting.
package struct EntryTree {
    /// The rest of a text cannot be read; a finding says why.
    private struct Unreadable: Error {}

    private let events: EventParser
    private let whole: String
    private let kind: String
    private var findings = Findings()
    /// The number of lists and mappings around the next event.
    private var depth = 0

    private init(_ text: String, whole: String, kind: String) {
        (events, self.whole, self.kind) = (EventParser(text), whole, kind)
    }

    /// Parses the text into its root entry; returns nil if there are findings.
    private mutating func root() -> Entry? {
        do throws(Unreadable) {
            guard try next().kind == .documentStart else {
                findings.add(.file, found: "nothing", allowed: whole)
                return nil
            }
            let entry = try entry(at: next(), path: "")
            let end = try next()
            if end.kind != .end {
                findings.add(Place(end, path: ""), found: "another document", allowed: "a single document")
            }
            return findings.isEmpty ? entry : nil
        } catch {
            return nil
        }
    }

    /// Reads the next event, and keeps the depth within its limit, so that no text is slow to read.
    private mutating func next() throws(Unreadable) -> Event {
        let event: Event
        do {
            event = try events.next()
        } catch {
            findings.add(error)
            throw Unreadable()
        }
        depth += event.nesting
        guard depth <= FileLimits.depth else {
            findings.add(
                Place(event, path: ""),
                found: "lists and mappings nested more than \(FileLimits.depth) levels deep",
                allowed: "the keys of \(kind)")
            throw Unreadable()
        }
        return event
    }

    /// Reads the value that starts with an event; returns nil after a finding.
    private mutating func entry(at event: Event, path: String) throws(Unreadable) -> Entry? {
        let place = Place(event, path: path)
        guard isPlain(event, at: place) else {
            try skip(event)
            return nil
        }
        switch event.kind {
        case .scalar(let text, let isPlain):
            return Entry(place: place, content: .scalar(text, isQuoted: !isPlain))
        case .sequenceStart: return Entry(place: place, content: .list(try list(path: path)))
        default: return Entry(place: place, content: .mapping(try pairs(path: path)))
        }
    }

    /// Reads the rest of a value that starts with an event.
    private mutating func skip(_ event: Event) throws(Unreadable) {
        let outside = depth - event.nesting
        while depth > outside { _ = try next() }
    }

    private mutating func list(path: String) throws(Unreadable) -> [Entry] {
        var entries: [Entry] = []
        var index = 0
        while true {
            let event = try next()
            if event.kind == .sequenceEnd { return entries }
            if let entry = try entry(at: event, path: "\(path)[\(index)]") { entries.append(entry) }
            index += 1
        }
    }

    private mutating func pairs(
        path: String
    ) throws(Unreadable) -> [(key: String, place: Place, value: Entry)] {
        var pairs: [(key: String, place: Place, value: Entry)] = []
        var keys: Set<String> = []
        while true {
            let event = try next()
            if event.kind == .mappingEnd { return pairs }
            guard case .scalar(let key, _) = event.kind, !event.hasAnchor else {
                findings.add(
                    Place(event, path: path), found: "a key that is not a word",
                    allowed: "keys such as speed: or rooms:")
                try skip(event)
                try skip(next())
                continue
            }
            let name = Entry.repeated(key)
            let inner = (path.isEmpty ? "" : "\(path).") + name.dropFirst().dropLast()
            let place = Place(event, path: inner)
            if !keys.insert(key).inserted {
                findings.add(place, found: "the key \(name) more than once", allowed: "each key once")
            }
            guard let value = try entry(at: next(), path: inner) else { continue }
            pairs.append((key, place, value))
        }
    }

    /// Returns whether a value is plain: no alias, and without an anchor or a tag.
    private mutating func isPlain(_ event: Event, at place: Place) -> Bool {
        let feature: (found: String, name: String)? =
            if event.kind == .alias {
                ("an alias (*)", "aliases")
            } else if event.hasAnchor {
                ("an anchor (&)", "anchors")
            } else if let tag = event.tag {
                ("the tag \(Entry.repeated(tag))", "tags")
            } else {
                nil
            }
        guard let feature else { return true }
        findings.add(place, found: feature.found, allowed: "plain values: \(feature.name) are not supported")
        return false
    }
}

extension Place {
    fileprivate init(_ event: Event, path: String) {
        self.init(line: event.line, column: event.column, path: path)
    }
}

extension EntryTree {
    /// Returns the root entry of a text in YAML or JSON. The errors are all up to the first place that is not
    /// valid YAML; they have the kind of the text, such as `a scenario`, and its allowed content.
    package static func root(
        of bytes: [UInt8], file: String, kind: String, content: String
    ) throws(InvalidFile) -> Entry {
        let text = try text(of: bytes, file: file)
        var tree = EntryTree(text, whole: content, kind: kind)
        guard let root = tree.root() else { throw tree.findings.error(in: file) }
        return root
    }

    /// Returns the text of a file, as ``WrittenText`` does.
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
    public init(_ bytes: [UInt8], file: String) throws(InvalidFile) {
        let root = try EntryTree.root(of: bytes, file: file, kind: "a command queue", content: Self.content)
        try self.init(root, file: file)
    }

    /// Reads the command queue of a file; a relative path starts at the working directory.
    public init(_ path: String, relativeTo directory: String) throws(InvalidFile) {
        let absolute = path.hasPrefix("/") ? path : "\(directory)/\(path)"
        let bytes = try FileContents.bytes(
            of: absolute, called: path, "name a readable file with a command queue")
        try self.init(bytes, file: path)
    }
}

extension Findings {
    /// Adds the problem of a text that is not YAML.
    mutating func add(_ error: SyntaxError) {
        let place = Place(line: error.line, column: error.column, path: "")
        guard !error.isForbiddenCharacter else {
            add(
                place, found: "invalid characters (\(error.problem))",
                allowed: "printable characters of UTF-8")
            return
        }
        let about = error.context.map { "\($0), " } ?? ""
        add(
            place, found: "invalid YAML (\(about)\(error.problem))",
            allowed: "valid YAML, indented by spaces, not by tabs")
    }
}
