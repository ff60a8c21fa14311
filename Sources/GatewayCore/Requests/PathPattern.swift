/// The paths of requests, in which `*` stands for one part.
struct PathPattern: Sendable {
    private let parts: [Substring]

    init(_ text: String) { parts = text.split(separator: "/") }

    func matches(_ path: String) -> Bool {
        let other = path.split(separator: "/")
        return other.count == parts.count && zip(other, parts).allSatisfy(Self.fits)
    }

    /// The number of parts at the beginning that a path has in common with the pattern.
    func likeness(of path: String) -> Int {
        zip(path.split(separator: "/"), parts).prefix(while: Self.fits).count
    }

    private static func fits(_ part: Substring, _ wanted: Substring) -> Bool {
        wanted == "*" || part == wanted
    }
}
