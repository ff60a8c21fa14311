public import FleetProtocol

/// The parameters of a load: demand, duration, connections, and shares of cancels and retries. The
/// initializer rejects invalid parameters, so every plan can be executed.
public struct LoadPlan: Equatable, Sendable {
    static let rateLimit: Double = 1_000_000
    public static let connectionLimit = 64
    static let durationLimit: Duration = .seconds(24 * 3_600)
    static let warmupLimit: Duration = .seconds(3_600)
    /// The most requests in flight in a closed loop: the controller refuses more from one account.
    static let inFlightLimit = Limits.accountRequests

    /// The rule that decides when the next request is due.
    public let demand: Demand
    /// The duration of the warm-up, whose requests are sent but not counted.
    public let warmup: Duration
    public let duration: Duration
    /// The number of connections, which the requests use in turn.
    public let connections: Int
    /// The share of the requests that are cancelled soon after they were sent; 0 to 1.
    public let cancelRatio: Double
    /// The kinds of requests; nil for toggles, some of which may be cancelled or sent twice.
    public let mix: LoadMix?
    /// The share of the requests that are sent a second time under the same request ID; 0 to 1.
    public let retryRatio: Double
    /// The timeout of each request; the tester waits for its reply for one second more.
    public let timeout: Duration
    /// The seed of the arrivals, the order of the devices, and the choice of cancels and retries.
    public let seed: UInt64

    public init(
        _ demand: Demand, warmup: Duration = .zero, duration: Duration, connections: Int = 1,
        cancelRatio: Double = 0, retryRatio: Double = 0, mix: LoadMix? = nil,
        timeout: Duration = Limits.defaultTimeout, seed: UInt64 = 1
    ) throws(PlanError) {
        try Self.check(demand, lasting: duration)
        try Self.check(warmup: warmup, duration: duration, timeout: timeout)
        try Self.check(cancelRatio: cancelRatio, retryRatio: retryRatio)
        guard mix == nil || (cancelRatio == 0 && retryRatio == 0) else {
            throw PlanError("a mix has its own share of cancels, and no repeats")
        }
        guard (1...Self.connectionLimit).contains(connections) else {
            throw PlanError("\(connections) connections: expected 1 to \(Self.connectionLimit)")
        }
        (self.demand, self.warmup, self.duration) = (demand, warmup, duration)
        (self.connections, self.mix, self.retryRatio) = (connections, mix, retryRatio)
        self.cancelRatio = mix?.share(of: .cancel) ?? cancelRatio
        (self.timeout, self.seed) = (timeout, seed)
    }

    /// The longest time from the last request to the end of the load.
    public var answerTime: Duration { timeout + Load.grace }

    /// Returns a part of this load without a warm-up, with arrivals of its own; fails for a ramp.
    public func part(lasting duration: Duration, number: UInt64) throws(PlanError) -> LoadPlan {
        if case .ramp = demand { throw PlanError("a ramp cannot be divided into parts") }
        return try with(
            demand, warmup: .zero, duration: duration, seed: seed &+ number &* 0x9e37_79b9_7f4a_7c15)
    }

    func with(
        _ demand: Demand, warmup: Duration, duration: Duration, seed: UInt64
    ) throws(PlanError) -> LoadPlan {
        try LoadPlan(
            demand, warmup: warmup, duration: duration, connections: connections,
            cancelRatio: mix == nil ? cancelRatio : 0, retryRatio: retryRatio, mix: mix, timeout: timeout,
            seed: seed)
    }

    private static func check(_ demand: Demand, lasting duration: Duration) throws(PlanError) {
        switch demand {
        case .rate(let rate, _):
            guard rate > 0, rate <= rateLimit else {
                throw PlanError(
                    "a rate of \(plain(rate)) a second: expected above 0 and at most \(plain(rateLimit))")
            }
        case .ramp(let ramp, _):
            guard ramp.duration == duration else {
                throw PlanError("a ramp of \(seconds(ramp.duration)) does not last \(seconds(duration))")
            }
        case .inFlight(let count):
            guard (1...inFlightLimit).contains(count) else {
                throw PlanError("\(count) in flight: expected 1 to \(inFlightLimit)")
            }
        }
    }

    private static func check(warmup: Duration, duration: Duration, timeout: Duration) throws(PlanError) {
        guard duration > .zero, duration <= durationLimit else {
            throw PlanError(
                "a duration of \(seconds(duration)): expected above 0 s, at most \(seconds(durationLimit))")
        }
        guard warmup >= .zero, warmup <= warmupLimit else {
            throw PlanError("a warm-up of \(seconds(warmup)): expected 0 s to \(seconds(warmupLimit))")
        }
        guard timeout > .zero, timeout <= Limits.longestTimeout else {
            throw PlanError(
                "a timeout of \(seconds(timeout)): expected above 0 s and at most "
                    + seconds(Limits.longestTimeout))
        }
    }

    private static func check(cancelRatio: Double, retryRatio: Double) throws(PlanError) {
        for (ratio, name) in [(cancelRatio, "cancelled"), (retryRatio, "repeated")] {
            guard (0...1).contains(ratio) else {
                throw PlanError("a fraction of \(plain(ratio)) that is \(name): expected 0 to 1")
            }
        }
        guard cancelRatio + retryRatio <= 1 else {
            throw PlanError(
                "\(plain(cancelRatio)) cancelled and \(plain(retryRatio)) repeated: a request is one of both at most, "
                    + "so together they are at most 1")
        }
    }

    private static func seconds(_ duration: Duration) -> String { "\(plain(duration / .seconds(1))) s" }

    /// Returns a number as text, without the fraction if that is zero.
    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}

/// A service level objective (SLO) for the latency: `p99<5ms`. `p99<5ms` requires that 99 of 100 toggles are
/// applied within 5 ms. A toggle that failed counts as slower than any limit.
public struct Objective: Equatable, Sendable {
    /// The text of the objective, without blanks.
    public let text: String
    /// The percentile of the latency that is limited, 0 to 100; `max` is 100.
    let percentile: Double
    let limitUs: Double
    /// Whether a latency equal to the limit meets the objective.
    let isInclusive: Bool

    /// The units with their lengths in microseconds; a unit comes before each unit that is its suffix.
    private static let units: [(name: String, us: Double)] = [
        ("us", 1), ("µs", 1), ("ms", 1_000), ("s", 1_000_000),
    ]

    /// Parses an objective: `p99<5ms`, `p99.9<=10ms`, `max<50ms`.
    public init(_ text: String) throws(PlanError) {
        let trimmed = text.filter { $0 != " " }
        let parts = trimmed.split(separator: "<", omittingEmptySubsequences: false)
        guard parts.count == 2 else { throw Self.error(text, "it has no `<`") }
        guard let percentile = Self.percentile(parts[0]) else {
            throw Self.error(text, "write `max`, or `p` and a number above 0 and below 100, before the `<`")
        }
        isInclusive = parts[1].hasPrefix("=")
        guard let limit = Self.us(parts[1].dropFirst(isInclusive ? 1 : 0)) else {
            throw Self.error(text, "write a time above 0 in us, ms or s after the `<`")
        }
        self.text = trimmed
        self.percentile = percentile
        limitUs = limit
    }

    /// Compares the latencies of the applied toggles with the objective; `failed` toggles were not applied.
    func objectiveResult(on latency: LatencyRecord, failed: Int) -> ObjectiveResult {
        let (applied, all) = (Double(latency.count), Double(latency.count) + Double(failed))
        // The rank of the percentile among all toggles in order of latency. The subtraction keeps a rank
        // that is whole except for the rounding of the percentile from being rounded up.
        let rank = max(1, (percentile / 100 * all - 1e-9 * all).rounded(.up))
        guard applied > 0, rank <= applied else {
            return ObjectiveResult(slo: text, isMet: false, valueUs: nil)
        }
        let value = latency.us(atPercentile: rank == applied ? 100 : rank / applied * 100)
        let isMet = value.map { isInclusive ? $0 <= limitUs : $0 < limitUs } ?? false
        return ObjectiveResult(slo: text, isMet: isMet, valueUs: value)
    }

    private static func percentile(_ text: Substring) -> Double? {
        if text == "max" { return 100 }
        guard text.hasPrefix("p"), let percentile = number(text.dropFirst()), percentile < 100 else {
            return nil
        }
        return percentile
    }

    /// Parses a time above zero in us, ms or s; returns microseconds.
    static func us(_ text: Substring) -> Double? {
        guard let unit = units.first(where: { text.hasSuffix($0.name) }) else { return nil }
        return number(text.dropLast(unit.name.count)).map { $0 * unit.us }
    }

    /// Parses a number above zero that consists of digits and at most one point.
    private static func number(_ text: Substring) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let number = Double(text),
            number > 0
        else { return nil }
        return number
    }

    private static func error(_ text: String, _ why: String) -> PlanError {
        PlanError("'\(text)' is not an objective such as p99<5ms, p99.9<=10ms or max<50ms: \(why)")
    }
}

/// The reason why the parameters of a load are invalid, for the user who entered them.
public struct PlanError: Error, Equatable, CustomStringConvertible {
    /// The invalid value and the allowed values, in words.
    public let description: String

    init(_ description: String) { self.description = description }
}

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
