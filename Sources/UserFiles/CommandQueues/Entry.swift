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

    /// The characters of a text that an error message repeats.
    private static let repeatedCharacters = 40

    package let place: Place
    package let content: Content

    /// An entry with the given place and content.
    init(place: Place, content: Content) { (self.place, self.content) = (place, content) }

    /// Whether the value is empty or null.
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

/// A position in a file.
package struct Place: Hashable, Sendable {
    package static let file = Place(line: nil, column: nil, path: "")

    /// The line, from 1; nil for the file as a whole.
    package let line: Int?
    /// The character in the line, from 1.
    let column: Int?
    /// The path of keys to the position.
    package let path: String

    /// A place with the given position and path.
    package init(line: Int?, column: Int?, path: String) {
        (self.line, self.column, self.path) = (line, column, path)
    }
}
