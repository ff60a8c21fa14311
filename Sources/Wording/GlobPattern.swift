/// A pattern for names: `*` stands for any characters, also none, and `?` for one; upper and lower case are
/// the same.
public struct GlobPattern: Sendable, Equatable {
    private enum Piece: Sendable, Equatable {
        case anyCharacters, anyCharacter, character(Character)
    }

    private let pieces: [Piece]

    /// The pattern of a text.
    public init(_ text: String) {
        pieces = text.lowercased().map { character in
            switch character {
            case "*": .anyCharacters
            case "?": .anyCharacter
            default: .character(character)
            }
        }
    }

    /// Whether a text has a `*` or `?`; without one it is a whole name.
    public static func hasWildcard(_ text: String) -> Bool {
        text.contains { $0 == "*" || $0 == "?" }
    }

    /// Whether the pattern matches the whole name.
    ///
    /// A mismatch backtracks only to the last `*`, so the time is at most the product of both lengths.
    public func matches(_ name: String) -> Bool {
        let characters = Array(name.lowercased())
        var (place, next) = (0, 0)
        var lastStar: (next: Int, place: Int)?
        while place < characters.count {
            if next < pieces.count, pieces[next] == .anyCharacters {
                next += 1
                lastStar = (next, place)
            } else if next < pieces.count,
                pieces[next] == .anyCharacter || pieces[next] == .character(characters[place])
            {
                next += 1
                place += 1
            } else if let star = lastStar {
                lastStar = (star.next, star.place + 1)
                (next, place) = (star.next, star.place + 1)
            } else {
                return false
            }
        }
        return pieces[next...].allSatisfy { $0 == .anyCharacters }
    }
}
