import FleetProtocol
import UserText

/// The measured figures of one load. The keys of its JSON are a contract with scripts: keys may be added, but
/// are never renamed.
@dynamicMemberLookup
public struct LoadResult: Equatable, Sendable {
    public struct Plan: Codable, Equatable, Sendable {
        /// Requests per second; nil in a closed loop and with a ramp.
        public let ratePerSecond: Double?
        /// The stages of a rate that changes, as in `--ramp`; nil in other loads.
        public let ramp: String?
        /// The distribution of the gaps between requests; nil in a closed loop.
        public let arrivals: Arrivals?
        /// The number of requests in flight; nil in an open loop.
        public let inFlight: Int?
        let warmupSeconds: Double
        public let durationSeconds: Double
        public let connections: Int
        public let devices: Int
        public let cancelRatio: Double
        public let retryRatio: Double
        /// The kinds of requests with their weights, as in `--mix`; nil for a load of toggles.
        public let mix: String?
        /// The timeout of each request, seconds; nil in reports of version 0.1.
        let timeoutSeconds: Double?
        /// The same under its former key, until the next release.
        let patienceSeconds: Double
        public let seed: UInt64
    }

    public struct Counts: Codable, Equatable, Sendable {
        public let offeredPerSecond: Double
        /// Applied toggles per second, over the measurement or until the last applied reply, whichever is
        /// longer.
        public let throughputPerSecond: Double
        public let durationSeconds: Double
        public let offered: Int
        public let applied: Int
        /// Toggles without a cancel that were not applied; abandoned ones do not count.
        public let failed: Int
        /// The number of requests by result: the names of outcomes and refusals, `unexpectedReply` for a
        /// reply of another kind, and `noAnswer`, `notSent` and `abandoned` for requests without a reply.
        /// There are at most 64 different results: requests with further ones are counted as `other`.
        public let outcomes: [String: Int]
    }

    public struct Details: Codable, Equatable, Sendable {
        /// The time from a toggle's due time to its reply, for applied toggles.
        public let latencyUs: LatencyFigures
        /// The time from sending a toggle to its reply, for applied toggles.
        public let serviceUs: LatencyFigures
        /// The time from a request's due time until the tester handled it.
        public let testerLateUs: LatencyFigures
        /// Resources that the tester's thread used in the measurement; nil if the system does not report
        /// them.
        public let testerUse: ThreadUse?
        public let hops: HopFigures
        public let cancels: CancelFigures?
        public let retries: RetryFigures?
        /// The figures of each kind of request; nil for a load of toggles.
        public let kinds: [KindFigures]?
        public let perSecond: [LoadSecond]
        let distribution: [DistributionPoint]
        /// The distribution of the times from sending to the reply.
        let serviceDistribution: [DistributionPoint]
        /// The processor time of the fleet's controller and nodes for each applied toggle, microseconds; nil
        /// if it was not measured.
        public var processorUsPerToggle: Double?
        /// Whether the measurement ran for its planned duration, and no tester was lost.
        public let isComplete: Bool
        /// The condition that ended the load early; nil if none did.
        public var abortedBy: String?
        /// The testers of a load with several; nil for a load of one.
        public let testers: [TesterFigures]?
        public let plan: Plan
    }

    public let counts: Counts
    public var details: Details

    public subscript<Value>(dynamicMember path: KeyPath<Counts, Value>) -> Value { counts[keyPath: path] }
    public subscript<Value>(dynamicMember path: KeyPath<Details, Value>) -> Value { details[keyPath: path] }
}

extension LoadResult: Codable {
    public init(from decoder: any Decoder) throws {
        (counts, details) = (try Counts(from: decoder), try Details(from: decoder))
    }

    public func encode(to encoder: any Encoder) throws {
        try counts.encode(to: encoder)
        try details.encode(to: encoder)
    }
}

extension LoadResult {
    /// The share of the p99 latency above which the tester's own lateness is reported.
    private static let lateShare = 0.1

    /// The latency by hop, without hops whose times are not known, as those within a fleet over HTTP. A
    /// closed loop has no tester hop, because its requests have no due times.
    public var hopParts: [(name: String, figures: LatencyFigures)] {
        details.hops.parts.filter { name, figures in
            (figures.count > 0 || details.latencyUs.count == 0)
                && (details.plan.inFlight == nil || name != "tester")
        }
    }

    /// The demand in words, without the arrivals.
    var demandText: String {
        let plan = details.plan
        if let count = plan.inFlight { return "\(count) in flight" }
        return plan.ramp.map { "ramp \($0)" } ?? FigureText.rate(plan.ratePerSecond ?? 0)
    }

    /// The names of lost testers, whose requests are in no figure.
    public var lostTesters: [String] { details.testers?.filter(\.isLost).map(\.name) ?? [] }

    /// Whether the tester's own p99 lateness is more than a tenth of the p99 latency.
    public var isTesterLate: Bool {
        guard let late = details.testerLateUs.p99, let p99 = details.latencyUs.p99 else { return false }
        return late > Self.lateShare * p99
    }

    /// Resources that the tester's thread used, in words; nil if the system does not report them.
    public var testerUseText: String? {
        details.testerUse.map { use in
            "its thread waited \(FigureText.time(us: use.waitedSeconds * 1e6)) for a processor, and had "
                + "\(FigureText.count(use.pageFaults)) page fault\(use.pageFaults == 1 ? "" : "s")"
        }
    }
}

extension LoadResult.Plan {
    public init(_ plan: LoadPlan, devices: Int = 0) {
        switch plan.demand {
        case .rate(let perSecond, let spread):
            (ratePerSecond, ramp, arrivals, inFlight) = (perSecond, nil, spread, nil)
        case .ramp(let stages, let spread):
            (ratePerSecond, ramp, arrivals, inFlight) = (nil, stages.text, spread, nil)
        case .inFlight(let count): (ratePerSecond, ramp, arrivals, inFlight) = (nil, nil, nil, count)
        }
        warmupSeconds = plan.warmup / .seconds(1)
        durationSeconds = plan.duration / .seconds(1)
        connections = plan.connections
        self.devices = devices
        cancelRatio = plan.cancelRatio
        retryRatio = plan.retryRatio
        mix = plan.mix?.text
        timeoutSeconds = plan.timeout / .seconds(1)
        patienceSeconds = plan.timeout / .seconds(1)
        seed = plan.seed
    }

    public func plan() throws(PlanError) -> LoadPlan {
        var kinds: LoadMix?
        if let mix { kinds = try LoadMix(mix) }
        return try LoadPlan(
            demand(), warmup: Self.duration(warmupSeconds), duration: Self.duration(durationSeconds),
            connections: connections, cancelRatio: kinds == nil ? cancelRatio : 0, retryRatio: retryRatio,
            mix: kinds, timeout: Self.duration(patienceSeconds), seed: seed)
    }

    private func demand() throws(PlanError) -> Demand {
        if let inFlight { return .inFlight(inFlight) }
        if let ramp { return .ramp(try RateRamp(ramp), arrivals ?? .poisson) }
        return .rate(perSecond: ratePerSecond ?? 0, arrivals ?? .poisson)
    }

    private static func duration(_ seconds: Double) throws(PlanError) -> Duration {
        guard seconds.isFinite, (0...1e6).contains(seconds) else {
            throw PlanError("a duration of \(seconds) s is not that of a load")
        }
        return .seconds(seconds)
    }
}

public struct LoadMeasurement: Codable, Sendable {
    public var result: LoadResult
    public let objectiveResults: [ObjectiveResult]
    /// The latencies in the text format of HdrHistogram's tools (`.hgrm`), in milliseconds.
    public let percentileFile: String
}

public struct LoadSecond: Codable, Equatable, Sendable {
    /// The number of the second, from 0 at the beginning of the measurement.
    public let second: Int
    public let offered: Int
    /// Toggles whose applied reply arrived in it, independent of their due time.
    public let applied: Int
    /// Toggles without a cancel that were due in it and were not applied.
    public let failed: Int
    /// The median latency of the applied toggles that were due in it, microseconds; nil without any.
    public let p50Us: Double?
    public let p99Us: Double?
    /// Their 99.9th percentile; nil also in reports of version 0.1.
    let p999Us: Double?
    let maxUs: Double?
}

public struct ObjectiveResult: Equatable, Sendable {
    /// The text of the objective, without blanks.
    public let slo: String
    public let isMet: Bool
    /// The latency at the objective's percentile, microseconds; nil if too many toggles failed for it.
    public let valueUs: Double?
}

extension ObjectiveResult: Codable {
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(slo, forKey: .slo)
        try members.encode(isMet, forKey: .isMet)
        try members.encode(valueUs, forKey: .valueUs)
    }
}
