import Wording
import Yams

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
