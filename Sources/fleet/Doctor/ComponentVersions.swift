/// The versions that `controller --version` tells.
struct ComponentVersions: Equatable, Sendable {
    private let versions: [String: String]

    /// The versions in lines of a name, a blank and a version; other lines do not count.
    init(_ text: String) {
        let pairs = text.split(separator: "\n").map { $0.split(separator: " ", maxSplits: 1) }
        versions = Dictionary(
            pairs.filter { $0.count == 2 }.map { (String($0[0]), String($0[1])) },
            uniquingKeysWith: { first, _ in first })
    }

    /// The version of one component; nil when there was no line of it.
    subscript(name: String) -> String? { versions[name] }
}
