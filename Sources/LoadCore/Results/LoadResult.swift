import FleetTime
import UserText

/// The measured figures of one load.
///
/// The keys of its JSON are a contract with scripts: keys may be added, but are never renamed.
@dynamicMemberLookup
public struct LoadResult: Equatable, Sendable {
    /// The parameters of the load.
    public struct Plan: Codable, Equatable, Sendable {
        /// Requests per second; nil in a closed loop.
        public let ratePerSecond: Double?
        /// The distribution of the gaps between requests; nil in a closed loop.
        public let arrivals: Arrivals?
        /// The number of requests in flight; nil in an open loop.
        public let inFlight: Int?
        /// The duration of the warm-up, seconds.
        public let warmupSeconds: Double
        /// The planned duration of the measurement, seconds.
        public let durationSeconds: Double
        /// The number of connections.
        public let connections: Int
        /// The number of devices.
        public let devices: Int
        /// The share of the requests with a cancel.
        public let cancelRatio: Double
        /// The share of the requests that are sent twice.
        public let retryRatio: Double
        /// The timeout of each request, seconds; nil in reports of version 0.1.
        public let timeoutSeconds: Double?
        /// The same under its former key, until the next release.
        public let patienceSeconds: Double
        /// The seed of all random choices.
        public let seed: UInt64
    }

    /// How many requests were due, and what became of them.
    public struct Counts: Codable, Equatable, Sendable {
        /// Requests that were due per second.
        public let offeredPerSecond: Double
        /// Applied toggles per second, over the measurement or until the last applied reply, whichever is
        /// longer.
        public let throughputPerSecond: Double
        /// The actual duration of the measurement, seconds.
        public let durationSeconds: Double
        /// Requests that were due.
        public let offered: Int
        /// Toggles without a cancel that were applied.
        public let applied: Int
        /// Toggles without a cancel that were not applied; abandoned ones do not count.
        public let failed: Int
        /// The number of requests by result: the names of outcomes and refusals, `unexpectedReply` for a
        /// reply of another kind, and `noAnswer`, `notSent` and `abandoned` for requests without a reply.
        public let outcomes: [String: Int]
    }

    /// Latencies and figures by second.
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
        /// The latency by hop.
        public let hops: HopFigures
        /// The results of the cancels; nil if the plan has none.
        public let cancels: CancelFigures?
        /// The results of the requests that were sent twice; nil if the plan has none.
        public let retries: RetryFigures?
        /// The figures of each second.
        public let perSecond: [LoadSecond]
        /// The distribution of the latencies.
        public let distribution: [DistributionPoint]
        /// The distribution of the times from sending to the reply.
        public let serviceDistribution: [DistributionPoint]
        /// Whether the measurement ran for its planned duration.
        public let isComplete: Bool
        /// The parameters of the load.
        public let plan: Plan
    }

    /// How many requests were due, and what became of them.
    public let counts: Counts
    /// Latencies and figures by second.
    public let details: Details

    /// A count, such as `applied`.
    public subscript<Value>(dynamicMember path: KeyPath<Counts, Value>) -> Value { counts[keyPath: path] }

    /// A detail, such as `latencyUs`.
    public subscript<Value>(dynamicMember path: KeyPath<Details, Value>) -> Value { details[keyPath: path] }
}

extension LoadResult: Codable {
    /// Decodes the counts and the details from one object.
    public init(from decoder: any Decoder) throws {
        (counts, details) = (try Counts(from: decoder), try Details(from: decoder))
    }

    /// Encodes the counts and the details as one object.
    public func encode(to encoder: any Encoder) throws {
        try counts.encode(to: encoder)
        try details.encode(to: encoder)
    }
}

extension LoadResult {
    /// The share of the p99 latency above which the tester's own lateness is reported.
    private static let lateShare = 0.1

    /// The latency by hop; a closed loop has no tester hop, because its requests have no due times.
    public var hopParts: [(name: String, figures: LatencyFigures)] {
        details.plan.inFlight == nil ? details.hops.parts : details.hops.parts.filter { $0.name != "tester" }
    }

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
    /// The parameters of a plan as numbers.
    init(_ plan: LoadPlan, devices: Int) {
        switch plan.demand {
        case .rate(let perSecond, let spread): (ratePerSecond, arrivals, inFlight) = (perSecond, spread, nil)
        case .inFlight(let count): (ratePerSecond, arrivals, inFlight) = (nil, nil, count)
        }
        warmupSeconds = plan.warmup / .seconds(1)
        durationSeconds = plan.duration / .seconds(1)
        connections = plan.connections
        self.devices = devices
        cancelRatio = plan.cancelRatio
        retryRatio = plan.retryRatio
        timeoutSeconds = plan.timeout / .seconds(1)
        patienceSeconds = plan.timeout / .seconds(1)
        seed = plan.seed
    }
}

/// The result of a load, with its verdicts and its percentile file.
public struct LoadMeasurement: Sendable {
    /// The measured figures.
    public let result: LoadResult
    /// The verdicts on the objectives, in their order.
    public let objectiveResults: [ObjectiveResult]
    /// The latencies in the text format of HdrHistogram's tools (`.hgrm`), in milliseconds.
    public let percentileFile: String
}

/// One second of a load.
public struct LoadSecond: Codable, Equatable, Sendable {
    /// The number of the second, from 0 at the beginning of the measurement.
    public let second: Int
    /// Requests that were due in it.
    public let offered: Int
    /// Toggles whose applied reply arrived in it, independent of their due time.
    public let applied: Int
    /// Toggles without a cancel that were due in it and were not applied.
    public let failed: Int
    /// The median latency of the applied toggles that were due in it, microseconds; nil without any.
    public let p50Us: Double?
    /// Their 99th percentile.
    public let p99Us: Double?
    /// Their longest latency.
    public let maxUs: Double?
}

/// The figures of a load by second.
///
/// Seconds whose last answers may still arrive are records; older seconds are only figures, so that a load of
/// a day needs little memory. All records are allocated at the beginning and reused in turn.
struct SecondSeries: Sendable {
    private struct Open: Sendable {
        var offered = 0
        var applied = 0
        var failed = 0
        var latency = LatencyRecord()

        /// Removes all counts and latencies, and keeps the memory.
        mutating func reset() {
            (offered, applied, failed) = (0, 0, 0)
            latency.reset()
        }
    }

    private let start: MonotonicTime
    private var closed: [LoadSecond] = []
    /// The records of open seconds; the record of a second is at its number modulo their count.
    private var records: [Open]
    private var openCount = 0

    /// A series that begins at an instant.
    ///
    /// - Parameters:
    ///   - timeout: The longest time from the due time of a request to its end.
    ///   - duration: The duration of the load, for which memory is reserved at once.
    init(from start: MonotonicTime, timeout: Duration, lasting duration: Duration = .zero) {
        self.start = start
        records = (0..<Int(timeout.components.seconds) + 2).map { _ in Open() }
        closed.reserveCapacity(Int(duration.components.seconds) + 1)
    }

    /// Counts a request that was due.
    mutating func offered(at intended: MonotonicTime) { change(at: intended) { $0.offered += 1 } }

    /// Counts an applied toggle in the second of its reply, and its latency in the second of its due time.
    mutating func applied(intended: MonotonicTime, answeredAt now: MonotonicTime, latency: Duration) {
        change(at: now) { $0.applied += 1 }
        change(at: intended) { $0.latency.record(latency) }
    }

    /// Counts a failed request.
    mutating func failed(intended: MonotonicTime) { change(at: intended) { $0.failed += 1 } }

    /// The figures of all seconds up to the last one with an event.
    var seconds: [LoadSecond] { closed + (closed.count..<closed.count + openCount).map(figures(of:)) }

    private mutating func change(at moment: MonotonicTime, _ change: (inout Open) -> Void) {
        let second = Int(start.duration(to: moment).components.seconds)
        // No event is that late: the load gives up a request before the second of its due time is closed.
        guard second >= closed.count else { return }
        while second >= closed.count + openCount {
            if openCount == records.count { closeFirst() }
            openCount += 1
        }
        change(&records[second % records.count])
    }

    private mutating func closeFirst() {
        let place = closed.count % records.count
        closed.append(figures(of: closed.count))
        records[place].reset()
        openCount -= 1
    }

    private func figures(of number: Int) -> LoadSecond {
        let second = records[number % records.count]
        return LoadSecond(
            second: number, offered: second.offered, applied: second.applied, failed: second.failed,
            p50Us: second.latency.us(atPercentile: 50), p99Us: second.latency.us(atPercentile: 99),
            maxUs: second.latency.us(atPercentile: 100))
    }
}

/// The verdict on an objective.
public struct ObjectiveResult: Equatable, Sendable {
    /// The text of the objective, without blanks.
    public let slo: String
    /// Whether the latency is within the limit.
    public let isMet: Bool
    /// The latency at the objective's percentile, microseconds; nil if too many toggles failed for it.
    public let valueUs: Double?
}

extension ObjectiveResult: Codable {
    private enum CodingKeys: String, CodingKey {
        case slo, isMet, valueUs
    }

    /// Encodes every key, with null for a missing value.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(slo, forKey: .slo)
        try members.encode(isMet, forKey: .isMet)
        try members.encode(valueUs, forKey: .valueUs)
    }
}
