public import FleetProtocol

/// What a load is to be: how much, for how long, over how many connections, and mixed with what.
///
/// A plan that exists can be carried out: what cannot be is refused when it is made.
public struct LoadPlan: Equatable, Sendable {
    /// The highest rate, requests a second.
    public static let rateLimit: Double = 1_000_000
    /// The most connections.
    public static let connectionLimit = 64
    /// The longest that is measured.
    public static let durationLimit: Duration = .seconds(24 * 3_600)
    /// The longest that is not counted before that.
    public static let warmupLimit: Duration = .seconds(3_600)
    /// The most requests on their way in a closed loop: the controller refuses more of one account.
    public static let inFlightLimit = Limits.accountRequests

    /// What decides when the next request is due.
    public let demand: Demand
    /// The time before the measurement, whose requests are sent and not counted.
    public let warmup: Duration
    /// The time of the measurement.
    public let duration: Duration
    /// Over how many connections the requests are spread, in turn.
    public let connections: Int
    /// The part of the requests that are taken back soon after they left; 0 to 1.
    public let cancelRatio: Double
    /// The part of the requests that are sent a second time under their id; 0 to 1.
    public let retryRatio: Double
    /// How long each device has, and so how long an answer is waited for.
    public let patience: Duration
    /// What arrivals, the devices' order and the mix follow from.
    public let seed: UInt64

    /// A plan of those parts.
    ///
    /// - Throws: The first thing that is wrong with them.
    public init(
        _ demand: Demand, warmup: Duration = .zero, duration: Duration, connections: Int = 1,
        cancelRatio: Double = 0, retryRatio: Double = 0, patience: Duration = Limits.defaultPatience,
        seed: UInt64 = 1
    ) throws(PlanError) {
        try Self.check(demand)
        try Self.check(warmup: warmup, duration: duration, patience: patience)
        try Self.check(cancelRatio: cancelRatio, retryRatio: retryRatio)
        guard (1...Self.connectionLimit).contains(connections) else {
            throw PlanError("\(connections) connections: there can be 1 to \(Self.connectionLimit)")
        }
        self.demand = demand
        self.warmup = warmup
        self.duration = duration
        self.connections = connections
        self.cancelRatio = cancelRatio
        self.retryRatio = retryRatio
        self.patience = patience
        self.seed = seed
    }

    private static func check(_ demand: Demand) throws(PlanError) {
        switch demand {
        case .rate(let rate, _):
            guard rate > 0, rate <= rateLimit else {
                throw PlanError(
                    "a rate of \(plain(rate)) a second: it is above 0 and at most \(plain(rateLimit))")
            }
        case .inFlight(let count):
            guard (1...inFlightLimit).contains(count) else {
                throw PlanError("\(count) in flight: there can be 1 to \(inFlightLimit)")
            }
        }
    }

    private static func check(
        warmup: Duration, duration: Duration, patience: Duration
    ) throws(PlanError) {
        guard duration > .zero, duration <= durationLimit else {
            throw PlanError(
                "a duration of \(seconds(duration)): it is above 0 s and at most \(seconds(durationLimit))")
        }
        guard warmup >= .zero, warmup <= warmupLimit else {
            throw PlanError("a warm-up of \(seconds(warmup)): it is 0 s to \(seconds(warmupLimit))")
        }
        guard patience > .zero, patience <= Limits.longestPatience else {
            throw PlanError(
                "a patience of \(seconds(patience)): it is above 0 s and at most "
                    + seconds(Limits.longestPatience))
        }
    }

    private static func check(cancelRatio: Double, retryRatio: Double) throws(PlanError) {
        for (ratio, name) in [(cancelRatio, "cancelled"), (retryRatio, "repeated")] {
            guard (0...1).contains(ratio) else {
                throw PlanError("a part of \(plain(ratio)) that is \(name): it is 0 to 1")
            }
        }
        guard cancelRatio + retryRatio <= 1 else {
            throw PlanError(
                "\(plain(cancelRatio)) cancelled and \(plain(retryRatio)) repeated: a request is one of both at most, "
                    + "so together they are at most 1")
        }
    }

    private static func seconds(_ duration: Duration) -> String {
        "\(plain(duration / .seconds(1))) s"
    }

    /// A number without a fraction that says nothing.
    private static func plain(_ number: Double) -> String {
        Int(exactly: number).map(String.init) ?? "\(number)"
    }
}

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

/// Why a load cannot be meant so, in words for whoever typed it.
public struct PlanError: Error, Equatable, CustomStringConvertible {
    /// What is wrong, and what is allowed.
    public let description: String

    /// The error of those words.
    init(_ description: String) {
        self.description = description
    }
}
