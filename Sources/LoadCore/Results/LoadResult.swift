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
