import FleetProtocol

/// A condition that ends a load early: `p99>50ms/5s`. `p99>50ms/5s` holds once the 99th percentile of each of
/// the last five seconds was above 50 ms. A second in which requests are in flight and no toggle is applied
/// counts as above any limit.
public struct AbortCondition: Equatable, Sendable {
    private static let secondsLimit = 3_600
    private static let percentiles = ["p50", "p90", "p99", "p99.9", "max"]

    /// The text of the condition, without blanks.
    public let text: String

    private let percentile: String
    private let limitUs: Double
    private let secondsNeeded: Int
    /// The number of seconds in a row, up to now, that were above the limit.
    private var secondsAbove = 0

    /// Parses a condition; without a time it must hold for one second.
    public init(_ text: String) throws(PlanError) {
        let trimmed = text.filter { $0 != " " }
        func error(_ why: String) -> PlanError {
            PlanError("'\(text)' is not a condition such as p99>50ms/5s: \(why)")
        }
        let sides = trimmed.split(separator: ">", omittingEmptySubsequences: false)
        guard sides.count == 2 else { throw error("it has no `>`") }
        guard Self.percentiles.contains(String(sides[0])) else {
            throw error("write one of \(Self.percentiles.joined(separator: ", ")) before the `>`")
        }
        let parts = sides[1].split(separator: "/", omittingEmptySubsequences: false)
        guard let limit = Objective.us(parts[0]) else {
            throw error("write a time above 0 in us, ms or s after the `>`")
        }
        var seconds = 1
        if parts.count > 1 {
            guard parts.count == 2, parts[1].hasSuffix("s"), let number = Int(parts[1].dropLast()),
                (1...Self.secondsLimit).contains(number)
            else { throw error("write 1s to \(Self.secondsLimit)s after the `/`") }
            seconds = number
        }
        (self.text, percentile, limitUs, secondsNeeded) = (trimmed, String(sides[0]), limit, seconds)
    }

    /// Takes the progress of a second; returns whether the condition holds now. The warm-up does not count.
    public mutating func holds(after second: LoadProgress) -> Bool {
        guard second.elapsed > .zero else { return false }
        secondsAbove = isAbove(second) ? secondsAbove + 1 : 0
        return secondsAbove >= secondsNeeded
    }

    private func isAbove(_ second: LoadProgress) -> Bool {
        let figures = second.totals.recent
        let value: Double? =
            switch percentile {
            case "p50": figures.p50
            case "p90": figures.p90
            case "p99": figures.p99
            case "p99.9": figures.p999
            default: figures.max
            }
        return value.map { $0 > limitUs } ?? (second.inFlight > 0)
    }
}
