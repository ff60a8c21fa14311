/// How fast it is to be (a service level objective): `p99<5ms`.
///
/// `p99<5ms` says that of all toggles, 99 in 100 are applied within 5 ms. A toggle that failed was not
/// applied within any time.
public struct Objective: Equatable, Sendable {
    /// As it was written.
    public let text: String
    /// Of which part of all, 0 to 100.
    let percentile: Double
    /// The limit, microseconds.
    let limitUs: Double
    /// Whether the limit itself will do.
    let isInclusive: Bool

    /// The units, with how many microseconds each is; a unit before those it ends in.
    private static let units: [(name: String, us: Double)] = [
        ("us", 1), ("µs", 1), ("ms", 1_000), ("s", 1_000_000),
    ]

    /// The objective of a text: `p99<5ms`, `p99.9<=10ms`, `max<50ms`.
    ///
    /// - Throws: What is wrong with it.
    public init(_ text: String) throws(PlanError) {
        let words = text.filter { $0 != " " }
        let parts = words.split(separator: "<", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Self.error(text, "it has no `<`") }
        guard let percentile = Self.percentile(parts[0]) else {
            throw Self.error(text, "before the `<` there is `max`, or `p` and a number above 0 and below 100")
        }
        isInclusive = parts[1].hasPrefix("=")
        guard let limit = Self.us(parts[1].dropFirst(isInclusive ? 1 : 0)) else {
            throw Self.error(text, "behind the `<` there is a time above 0 in us, ms or s")
        }
        self.text = words
        self.percentile = percentile
        limitUs = limit
    }

    /// Whether what was measured is as good.
    ///
    /// - Parameters:
    ///   - latency: Of the toggles that were applied.
    ///   - failed: How many were not.
    func verdict(on latency: LatencyRecord, failed: Int) -> ObjectiveVerdict {
        let (applied, all) = (Double(latency.count), Double(latency.count) + Double(failed))
        // Which of all toggles, in the order of their latencies, must have stayed within the limit; a rank
        // that is whole but for the rounding of the percentile is meant to be whole.
        let rank = max(1, (percentile / 100 * all - 1e-9 * all).rounded(.up))
        guard applied > 0, rank <= applied else {
            return ObjectiveVerdict(slo: text, isMet: false, valueUs: nil)
        }
        let value = latency.us(atPercentile: rank == applied ? 100 : rank / applied * 100)
        let isMet = value.map { isInclusive ? $0 <= limitUs : $0 < limitUs } ?? false
        return ObjectiveVerdict(slo: text, isMet: isMet, valueUs: value)
    }

    private static func percentile(_ text: Substring) -> Double? {
        if text == "max" { return 100 }
        guard text.hasPrefix("p"), let percentile = number(text.dropFirst()), percentile < 100 else {
            return nil
        }
        return percentile
    }

    private static func us(_ text: Substring) -> Double? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        return number(text.dropLast(unit.name.count)).map { $0 * unit.us }
    }

    /// A number above zero of digits and at most one point.
    private static func number(_ text: Substring) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(text),
            number > 0
        else { return nil }
        return number
    }

    private static func error(_ text: String, _ why: String) -> PlanError {
        PlanError("'\(text)' is no objective such as p99<5ms, p99.9<=10ms or max<50ms: \(why)")
    }
}
