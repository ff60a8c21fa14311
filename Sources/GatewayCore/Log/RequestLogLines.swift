public import FleetTime

/// Decides which requests get a line in the log, and how a line shows them.
///
/// Each kind has a number of lines a second, so that a load test costs a count for each request, and a flood
/// of one kind neither hides the other kinds nor fills the log. Requests beyond it are counted.
public struct RequestLogLines: Sendable {
    /// The kinds of requests with a line.
    public enum Kind: Int, CaseIterable, Sendable {
        /// The status is one of an error.
        case refused
        /// A cloud fault affected the request, which was answered nevertheless.
        case affected
        /// The request was one for a change.
        case change

        /// The event, as a line names it.
        public var text: String {
            switch self {
            case .refused: "request refused"
            case .affected: "request affected by a fault"
            case .change: "change requested"
            }
        }
    }

    /// The number of lines a second for each kind.
    public static let linesPerSecond = 50
    /// The time in which there are at most ``linesPerSecond`` lines.
    public static let interval: Duration = .seconds(1)
    /// The maximum length of a method in a line.
    public static let methodBytes = 16
    /// The maximum length of a path in a line.
    static let pathBytes = 200
    /// The maximum length of a part of a path, which is shorter than any key or token.
    static let partBytes = 40

    private static let none = Array(repeating: 0, count: Kind.allCases.count)

    private var began: MonotonicTime?
    private var written = Self.none
    private var omitted = Self.none

    /// No lines so far.
    public init() {}

    /// Returns whether a request gets a line; one without is counted.
    public mutating func spend(_ kind: Kind, at now: MonotonicTime) -> Bool {
        if began.map({ $0.duration(to: now) >= Self.interval }) ?? true {
            (began, written) = (now, Self.none)
        }
        guard written[kind.rawValue] < Self.linesPerSecond else {
            omitted[kind.rawValue] += 1
            return false
        }
        written[kind.rawValue] += 1
        return true
    }

    /// Returns the number of requests without a line since the last call, by kind.
    public mutating func takeOmitted() -> [(kind: Kind, count: Int)] {
        defer { omitted = Self.none }
        return Kind.allCases.map { ($0, omitted[$0.rawValue]) }.filter { $0.1 > 0 }
    }

    /// Returns the path of a request's target as a line shows it.
    ///
    /// It ends before the mark of a query, also a misplaced or escaped one, and lacks parts that could be a
    /// key or token.
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
