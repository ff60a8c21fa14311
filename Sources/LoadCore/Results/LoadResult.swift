import Stepping
import Wording

/// What was measured of one load.
///
/// The keys of its JSON are a contract with scripts: more may come, none is renamed.
public struct LoadResult: Codable, Equatable, Sendable {
    /// What the load was to be.
    public struct Plan: Codable, Equatable, Sendable {
        /// Requests a second; nil in a closed loop.
        public let ratePerSecond: Double?
        /// How they were spread; nil in a closed loop.
        public let arrivals: Arrivals?
        /// How many were on their way at any time; nil in an open loop.
        public let inFlight: Int?
        /// The time before the measurement, seconds.
        public let warmupSeconds: Double
        /// The time that was to be measured, seconds.
        public let durationSeconds: Double
        /// Over how many connections.
        public let connections: Int
        /// To how many devices.
        public let devices: Int
        /// The part that was taken back.
        public let cancelRatio: Double
        /// The part that was sent twice.
        public let retryRatio: Double
        /// How long each answer was waited for, seconds.
        public let patienceSeconds: Double
        /// What chance followed from.
        public let seed: UInt64
    }

    /// Requests that were due a second.
    public let offeredPerSecond: Double
    /// Toggles applied a second, until the last of them was answered.
    public let throughputPerSecond: Double
    /// What was measured lasted so long, seconds.
    public let durationSeconds: Double
    /// Requests that were due.
    public let offered: Int
    /// Toggles that were applied, and not taken back.
    public let applied: Int
    /// Toggles that were not applied although nobody took them back.
    public let failed: Int
    /// How the requests ended: the contract's words for outcomes and refusals; `unexpectedReply` for an
    /// answer of another kind; `noAnswer`, `notSent` and `abandoned` for those that were not answered.
    public let outcomes: [String: Int]
    /// From when a toggle was due to its answer, of those applied.
    public let latencyUs: LatencyFigures
    /// From when a toggle left to its answer, of those applied.
    public let serviceUs: LatencyFigures
    /// How much later than due the tester came to a request.
    public let testerLateUs: LatencyFigures
    /// Resources that the tester's thread used in the measurement; nil if the system does not report them.
    public let testerUse: ThreadUse?
    /// Where the time went.
    public let hops: HopFigures
    /// What became of what was taken back; nil when nothing was to be.
    public let cancels: CancelFigures?
    /// What was told to what was sent twice; nil when nothing was to be.
    public let retries: RetryFigures?
    /// Second by second.
    public let perSecond: [LoadSecond]
    /// The latencies in full.
    public let distribution: [DistributionPoint]
    /// The times from when they left in full.
    public let serviceDistribution: [DistributionPoint]
    /// Whether it lasted as long as it was to.
    public let isComplete: Bool
    /// What it was to be.
    public let plan: Plan
}

extension LoadResult {
    /// From which part of the latency on the tester's own lateness is worth a word.
    private static let lateShare = 0.1

    /// Where the time went, part by part; a closed loop has no part of the tester's, since nothing is due.
    public var hopParts: [(name: String, figures: LatencyFigures)] {
        plan.inFlight == nil ? hops.parts : hops.parts.filter { $0.name != "tester" }
    }

    /// Whether the tester was so late itself that a part of the latency is its own.
    public var isTesterLate: Bool {
        guard let late = testerLateUs.p99, let p99 = latencyUs.p99 else { return false }
        return late > Self.lateShare * p99
    }

    /// Resources that the tester's thread used, in words; nil if the system does not report them.
    public var testerUseWords: String? {
        testerUse.map { use in
            "its thread waited \(FigureText.time(us: use.waitedSeconds * 1e6)) for a processor, and had "
                + "\(FigureText.count(use.pageFaults)) page fault\(use.pageFaults == 1 ? "" : "s")"
        }
    }
}

extension LoadResult.Plan {
    /// A plan in numbers.
    init(_ plan: LoadPlan, devices: Int) {
        switch plan.demand {
        case .rate(let perSecond, let spread):
            (ratePerSecond, arrivals, inFlight) = (perSecond, spread, nil)
        case .inFlight(let count):
            (ratePerSecond, arrivals, inFlight) = (nil, nil, count)
        }
        warmupSeconds = plan.warmup / .seconds(1)
        durationSeconds = plan.duration / .seconds(1)
        connections = plan.connections
        self.devices = devices
        cancelRatio = plan.cancelRatio
        retryRatio = plan.retryRatio
        patienceSeconds = plan.patience / .seconds(1)
        seed = plan.seed
    }
}

/// What came of a load.
public struct LoadMeasurement: Sendable {
    /// What was measured.
    public let result: LoadResult
    /// Whether it is as good as was wanted, in the order of the objectives.
    public let verdicts: [ObjectiveVerdict]
    /// The latencies in the text format of HdrHistogram's tools (`.hgrm`), in milliseconds.
    public let percentileFile: String
}

/// One second of a load.
public struct LoadSecond: Codable, Equatable, Sendable {
    /// Which, counted from 0 at the begin of the measurement.
    public let second: Int
    /// Requests that were due in it.
    public let offered: Int
    /// Toggles whose answer, applied, came in it, whenever they were due.
    public let applied: Int
    /// Of those due in it, how many were not applied although nobody took them back.
    public let failed: Int
    /// The median latency of those due in it and applied, microseconds; nil for none.
    public let p50Us: Double?
    /// All but one in a hundred of those took no longer.
    public let p99Us: Double?
    /// The longest.
    public let maxUs: Double?
}

/// A load second by second.
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

    /// A series from a moment on.
    ///
    /// - Parameters:
    ///   - patience: The longest time from when a request is due to its end.
    ///   - duration: The duration of the load, for which memory is reserved at once.
    init(from start: MonotonicTime, patience: Duration, lasting duration: Duration = .zero) {
        self.start = start
        records = (0..<Int(patience.components.seconds) + 2).map { _ in Open() }
        closed.reserveCapacity(Int(duration.components.seconds) + 1)
    }

    /// A request was due.
    mutating func offered(at intended: MonotonicTime) {
        change(at: intended) { $0.offered += 1 }
    }

    /// A toggle was applied.
    mutating func applied(intended: MonotonicTime, answeredAt now: MonotonicTime, latency: Duration) {
        change(at: now) { $0.applied += 1 }
        change(at: intended) { $0.latency.record(latency) }
    }

    /// A request failed.
    mutating func failed(intended: MonotonicTime) {
        change(at: intended) { $0.failed += 1 }
    }

    /// Every second up to the last in which anything was.
    var seconds: [LoadSecond] {
        closed + (closed.count..<closed.count + openCount).map(figures(of:))
    }

    private mutating func change(at moment: MonotonicTime, _ change: (inout Open) -> Void) {
        let second = Int(start.duration(to: moment).components.seconds)
        // Nothing is that late: whoever waits gives up before its second is closed.
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

/// Whether a load was as fast as was wanted.
public struct ObjectiveVerdict: Equatable, Sendable {
    /// What was wanted, as it was written.
    public let slo: String
    /// Whether it was so.
    public let isMet: Bool
    /// What was measured, microseconds; nil when so many toggles failed that there is no such latency.
    public let valueUs: Double?
}

extension ObjectiveVerdict: Codable {
    private enum CodingKeys: String, CodingKey {
        case slo, isMet, valueUs
    }

    /// Writes every key, null where there is no value.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(slo, forKey: .slo)
        try members.encode(isMet, forKey: .isMet)
        try members.encode(valueUs, forKey: .valueUs)
    }
}
