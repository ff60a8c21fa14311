/// A place in a scenario file that is wrong.
public struct ScenarioProblem: Hashable, Sendable, CustomStringConvertible {
    /// The line, from 1; nil when the file as a whole is wrong.
    public let line: Int?
    /// The character in the line, from 1.
    public let column: Int?
    /// The keys that lead there, such as `people.hand-remotes-per-hour[0].rate`; empty for the whole file.
    public let path: String
    /// What stands there.
    public let found: String
    /// What may stand there.
    public let allowed: String

    /// The place and what is wrong, without the file's name.
    public var description: String {
        let place = [line, column].compactMap { $0.map { "\($0):" } }.joined()
        let key = path.isEmpty ? "" : "\(path): "
        return "\(place)\(place.isEmpty ? "" : " ")\(key)found \(found); allowed: \(allowed)"
    }
}
