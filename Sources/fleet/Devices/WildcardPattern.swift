/// A pattern for names in which `*` stands for any characters, none included; case does not matter.
struct WildcardPattern: Sendable {
    /// What stands between the stars, in order.
    private let pieces: [[Character]]

    /// The pattern of that text.
    init(_ text: String) {
        pieces = text.lowercased().split(separator: "*", omittingEmptySubsequences: false).map(Array.init)
    }

    /// Whether the whole name is of this pattern.
    ///
    /// Each piece is taken at the first place it fits, which leaves the most for those after it.
    func matches(_ name: String) -> Bool {
        let characters = Array(name.lowercased())
        guard let first = pieces.first, let last = pieces.last, pieces.count > 1 else {
            return pieces.first == characters
        }
        guard characters.starts(with: first), characters.count >= first.count + last.count,
            characters.suffix(last.count).elementsEqual(last)
        else { return false }
        var rest = characters[first.count..<(characters.count - last.count)]
        for piece in pieces.dropFirst().dropLast() where !piece.isEmpty {
            guard let found = rest.firstRange(of: piece) else { return false }
            rest = rest[found.upperBound...]
        }
        return true
    }
}
