import FleetProtocol
import UserText

struct LoadTotals: Sendable {
    var offered = 0
    var applied = 0
    /// The number of toggles without a cancel that were not applied; abandoned ones do not count.
    var failed = 0
    private(set) var outcomes = OutcomeCounts()
    /// The time from the beginning to the last reply of an applied toggle.
    var lastAppliedAfter = Duration.zero
    var latency = LatencyRecord()
    var service = LatencyRecord()
    var tester = LatencyRecord()
    var hops = HopRecord()
    var cancel = LatencyRecord()
    var cancels = CancelFigures(latencyUs: .none)
    var retries = RetryFigures()

    /// The requests of each kind; empty for a load of toggles.
    private var kinds: [LoadRequestKind: KindRecord] = [:]

    /// No requests; allocates memory for those to come.
    init(of kinds: [LoadRequestKind] = []) { for kind in kinds { self.kinds[kind] = KindRecord() } }

    mutating func count(_ word: String, of kind: LoadRequestKind? = nil) {
        outcomes.count(word)
        if let kind { kinds[kind]?.outcomes.count(word) }
    }

    mutating func record(_ took: Duration, of kind: LoadRequestKind) {
        latency.record(took)
        kinds[kind]?.latency.record(took)
    }

    private func figures(of mix: LoadMix) -> [KindFigures] {
        mix.kinds.map { (kinds[$0] ?? KindRecord()).figures(of: $0, cancel: cancel) }
    }

    /// All figures of a measurement with that duration.
    func result(
        of plan: LoadPlan, devices: Int, lasting duration: Duration, isComplete: Bool,
        seconds: [LoadSecond], use: ThreadUse?, testers: [TesterFigures]? = nil
    ) -> LoadResult {
        let length = max(duration / .seconds(1), 1e-9)
        // The replies to the last requests arrive after the end; the denominator includes that time.
        let answering = max(length, lastAppliedAfter / .seconds(1))
        var cancels = cancels
        cancels.latencyUs = cancel.figures
        let counts = LoadResult.Counts(
            offeredPerSecond: Self.rounded(Double(offered) / length),
            throughputPerSecond: Self.rounded(Double(applied) / answering),
            durationSeconds: Self.rounded(length), offered: offered, applied: applied, failed: failed,
            outcomes: outcomes.counts)
        let details = LoadResult.Details(
            latencyUs: latency.figures, serviceUs: service.figures, testerLateUs: tester.figures,
            testerUse: use, hops: hops.figures,
            cancels: plan.cancelRatio > 0 ? cancels : nil, retries: plan.retryRatio > 0 ? retries : nil,
            kinds: plan.mix.map(figures),
            perSecond: seconds, distribution: latency.distribution,
            serviceDistribution: service.distribution, isComplete: isComplete, testers: testers,
            plan: LoadResult.Plan(plan, devices: devices))
        return LoadResult(counts: counts, details: details)
    }

    /// Rounds a number to three decimals.
    private static func rounded(_ number: Double) -> Double { (number * 1_000).rounded() / 1_000 }
}

/// The totals of a tester in a compact form, which can be sent to another process.
struct RecordedTotals: Codable, Sendable {
    fileprivate let offered: Int
    fileprivate let applied: Int
    fileprivate let failed: Int
    fileprivate let outcomes: [String: Int]
    fileprivate let lastAppliedAfterNs: Int64
    fileprivate let latency: RecordedLatencies
    fileprivate let service: RecordedLatencies
    fileprivate let tester: RecordedLatencies
    fileprivate let hops: [RecordedLatencies]
    fileprivate let cancel: RecordedLatencies
    fileprivate let cancels: CancelFigures
    fileprivate let retries: RetryFigures
    fileprivate let kinds: [RecordedKind]?
}

extension LoadTotals {
    var recorded: RecordedTotals {
        RecordedTotals(
            offered: offered, applied: applied, failed: failed, outcomes: outcomes.counts,
            lastAppliedAfterNs: lastAppliedAfter.wholeNanoseconds, latency: latency.recorded,
            service: service.recorded, tester: tester.recorded, hops: hops.recorded,
            cancel: cancel.recorded, cancels: cancels, retries: retries,
            kinds: LoadRequestKind.allCases.compactMap { kind in kinds[kind]?.recorded(as: kind) })
    }

    /// Adds the totals of a tester, which may come from another process.
    mutating func add(_ other: RecordedTotals) throws(PlanError) {
        offered += try Self.checked(other.offered)
        applied += try Self.checked(other.applied)
        failed += try Self.checked(other.failed)
        try outcomes.add(other.outcomes)
        let latest = Limits.longestTimeout + SharedLoad.durationLimit + Load.grace * 2
        lastAppliedAfter = max(lastAppliedAfter, min(latest, .nanoseconds(other.lastAppliedAfterNs)))
        try latency.add(other.latency)
        try service.add(other.service)
        try tester.add(other.tester)
        try hops.add(other.hops)
        try cancel.add(other.cancel)
        try cancels.add(other.cancels)
        try retries.add(other.retries)
        for kind in other.kinds ?? [] { try kinds[kind.kind, default: KindRecord()].add(kind) }
    }

    /// Returns a count of another process; fails if it is out of range, so that sums could overflow.
    static func checked(_ count: Int) throws(PlanError) -> Int {
        guard (0...Int(LoadRecording.largestCount)).contains(count) else {
            throw PlanError("a count of \(count): not that of a tester")
        }
        return count
    }
}

extension CancelFigures {
    /// Adds the counts of a tester; the latencies are added as records.
    fileprivate mutating func add(_ other: CancelFigures) throws(PlanError) {
        inTime += try LoadTotals.checked(other.inTime)
        tooLate += try LoadTotals.checked(other.tooLate)
        pending += try LoadTotals.checked(other.pending)
        refused += try LoadTotals.checked(other.refused)
        noAnswer += try LoadTotals.checked(other.noAnswer)
    }
}

extension RetryFigures {
    fileprivate mutating func add(_ other: RetryFigures) throws(PlanError) {
        alike += try LoadTotals.checked(other.alike)
        different += try LoadTotals.checked(other.different)
        undecided += try LoadTotals.checked(other.undecided)
        noAnswer += try LoadTotals.checked(other.noAnswer)
    }
}

struct HopRecord: Sendable {
    private static let all: [any WritableKeyPath<HopRecord, LatencyRecord> & Sendable] = [
        \.tester, \.queue, \.journal, \.wire, \.device, \.reply,
    ]

    private var tester = LatencyRecord()
    private var queue = LatencyRecord()
    private var journal = LatencyRecord()
    private var wire = LatencyRecord()
    private var device = LatencyRecord()
    private var reply = LatencyRecord()

    /// Records the hops of an applied toggle. Without its times in the fleet only the hops of the tester and
    /// of the reply count. It waited from its due time until the tester sent it, and was served until its
    /// reply.
    mutating func record(_ timing: OutcomeReport.Timing?, waited: Duration, served: Duration) {
        tester.record(waited)
        guard let timing else { return reply.record(served) }
        queue.record(.microseconds(timing.queueUs))
        journal.record(.microseconds(timing.journalUs))
        wire.record(.microseconds(timing.wireUs))
        device.record(.microseconds(timing.deviceUs))
        let reported = timing.queueUs + timing.journalUs + timing.wireUs + timing.deviceUs
        reply.record(served - .microseconds(reported))
    }

    var figures: HopFigures {
        HopFigures(
            testerUs: tester.figures, queueUs: queue.figures, journalUs: journal.figures,
            wireUs: wire.figures, deviceUs: device.figures, replyUs: reply.figures)
    }

    /// The hops in a compact form, in the order of the path.
    var recorded: [RecordedLatencies] { Self.all.map { self[keyPath: $0].recorded } }

    mutating func add(_ recorded: [RecordedLatencies]) throws(PlanError) {
        for (hop, latencies) in zip(Self.all, recorded) { try self[keyPath: hop].add(latencies) }
    }
}

public struct KindFigures: Codable, Equatable, Sendable {
    public let kind: LoadRequestKind
    public let count: Int
    /// The number of requests by result, as in ``LoadResult/Counts/outcomes``.
    public let outcomes: [String: Int]
    /// The time from the due time of a request to its reply, for requests that were carried out; for
    /// cancelled toggles, the time from sending the cancel to its reply.
    public let latencyUs: LatencyFigures

    /// The row of the kind in a table: name, count, percentiles from the median on, maximum and results.
    public var row: [String] {
        [kind.rawValue, FigureText.count(count)] + latencyUs.texts.dropFirst() + [outcomeText]
    }

    /// The results in words, the most frequent first.
    private var outcomeText: String {
        outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map { "\($0.key) \($0.value)" }
            .joined(separator: ", ")
    }
}

struct KindRecord: Sendable {
    var outcomes = OutcomeCounts()
    var latency = LatencyRecord()

    /// The figures of the kind; `cancel` are the times to the replies of cancels.
    func figures(of kind: LoadRequestKind, cancel: LatencyRecord) -> KindFigures {
        KindFigures(
            kind: kind, count: outcomes.counts.values.reduce(0, +), outcomes: outcomes.counts,
            latencyUs: kind == .cancel ? cancel.figures : latency.figures)
    }

    func recorded(as kind: LoadRequestKind) -> RecordedKind {
        RecordedKind(kind: kind, outcomes: outcomes.counts, latency: latency.recorded)
    }

    mutating func add(_ other: RecordedKind) throws(PlanError) {
        try outcomes.add(other.outcomes)
        try latency.add(other.latency)
    }
}

/// The requests of one kind in a compact form, which can be sent to another process.
struct RecordedKind: Codable, Sendable {
    let kind: LoadRequestKind
    let outcomes: [String: Int]
    let latency: RecordedLatencies
}

struct OutcomeCounts: Sendable {
    /// The largest number of different results; a gateway's answers can have any word.
    static let limit = 64
    /// The name under which requests with further results are counted together.
    static let others = "other"

    private(set) var counts: [String: Int] = [:]

    init() { counts.reserveCapacity(Self.limit) }

    /// Counts requests by their result; beyond the limit of different results, as others.
    mutating func count(_ word: String, times number: Int = 1) {
        let isCounted = counts[word] != nil || counts.count < Self.limit - 1
        counts[isCounted ? word : Self.others, default: 0] += number
    }

    mutating func add(_ other: [String: Int]) throws(PlanError) {
        for (word, number) in other.sorted(by: { $0.key < $1.key }) {
            guard word.utf8.count <= 32, word.allSatisfy({ $0.isASCII && $0.isLetter }) else {
                throw PlanError("a tester's outcomes cannot be read")
            }
            count(word, times: try LoadTotals.checked(number))
        }
    }
}
