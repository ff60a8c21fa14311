/// How a line of the log shows a request.
public enum RequestLogLines {
    public enum Kind: Int, CaseIterable, Sendable {
        case refused
        /// A cloud fault affected the request, which was answered nevertheless.
        case affected
        case change

        public var text: String {
            switch self {
            case .refused: "request refused"
            case .affected: "request affected by a fault"
            case .change: "change requested"
            }
        }
    }

    /// The number of lines a second for each kind, so that no kind hides the others or fills the log.
    public static let linesPerSecond = 50
    public static let methodBytes = 16
    /// The maximum length of a path in a line.
    static let pathBytes = 200
    /// The maximum length of a part of a path, which is shorter than any key or token.
    static let partBytes = 40

    /// Returns the path of a request's target as a line shows it. It ends before the mark of a query, also a
    /// misplaced or escaped one, and lacks parts that could be a key or token.
    public static func path(_ target: String) -> String {
        let path = target.prefix { character in
            character.isASCII && (character.isLetter || character.isNumber || "/-._~:@".contains(character))
        }
        let parts = path.split(separator: "/", omittingEmptySubsequences: false)
        let shown = parts.map { $0.utf8.count > partBytes ? "…" : $0 }.joined(separator: "/")
        let isWhole = path.endIndex == target.endIndex || target[path.endIndex] == "?"
        return isWhole && shown.utf8.count <= pathBytes ? shown : shown.prefix(pathBytes) + "…"
    }
}
