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
