import FleetProtocol
import UserText

/// What one tester of several has measured, in a form that can be sent and added to that of others.
public struct LoadRecording: Codable, Sendable {
    /// The largest count that a tester can send: sums of them do not overflow.
    static let largestCount: UInt64 = 1 << 40

    let totals: RecordedTotals
    let seconds: [RecordedSecond]
    let devices: Int
    let durationSeconds: Double
    let isComplete: Bool
    let threadUse: ThreadUse?
}

/// The result of one tester of several: what it measured, and where.
public struct TesterResult: Codable, Sendable {
    let recording: LoadRecording
    let environment: LoadEnvironment
    /// The largest difference of its start from that of other testers, microseconds.
    let startErrorUs: Double

    public init(recording: LoadRecording, environment: LoadEnvironment, startErrorUs: Double) {
        (self.recording, self.environment, self.startErrorUs) = (recording, environment, startErrorUs)
    }

    public var json: [UInt8] { encoded() }

    /// Decodes a result, which may come from another version of this program; fails for impossible numbers.
    public init(json: [UInt8]) throws(PlanError) {
        try self.init(
            decoding: json, orFail: "a tester's result cannot be read: use the same version on all machines")
        try check()
    }
}

/// A tester of several, and its part of a load.
public struct TesterFigures: Codable, Equatable, Sendable {
    public let name: String
    public let offered: Int
    public let applied: Int
    public let failed: Int
    /// The time from a toggle's due time to its reply, for applied toggles.
    public let latencyUs: LatencyFigures
    /// The time from a request's due time until the tester handled it.
    public let testerLateUs: LatencyFigures
    /// Resources that the tester's thread used in the measurement; nil if the system does not report them.
    public let testerUse: ThreadUse?
    /// The largest difference of its start from that of other testers, microseconds.
    public let startErrorUs: Double
    /// The machine of the tester; nil for a tester without a result.
    public let environment: LoadEnvironment?

    /// Whether the tester was lost: its requests are in no figure.
    public var isLost: Bool { environment == nil }

    /// The row of the tester in a table: name, counts and times; a word marks one that was lost.
    public func row(lost word: String) -> [String] {
        let times = [latencyUs.p50, latencyUs.p99, testerLateUs.p99, startErrorUs]
        return [isLost ? "\(name), \(word)" : name] + [offered, applied, failed].map { FigureText.count($0) }
            + times.map { FigureText.time(us: $0) }
    }

    fileprivate init(lost name: String) {
        (self.name, offered, applied, failed) = (name, 0, 0, 0)
        (latencyUs, testerLateUs, testerUse) = (.none, .none, nil)
        (startErrorUs, environment) = (0, nil)
    }

    fileprivate init(_ result: TesterResult, of totals: LoadTotals, name: String) {
        (self.name, offered, applied, failed) = (name, totals.offered, totals.applied, totals.failed)
        (latencyUs, testerLateUs) = (totals.latency.figures, totals.tester.figures)
        (testerUse, startErrorUs) = (result.recording.threadUse, result.startErrorUs)
        environment = result.environment
    }
}

extension TesterResult {
    /// Checks that the numbers are possible, so that sums of them and their texts are.
    fileprivate func check() throws(PlanError) {
        let seconds = recording.durationSeconds
        let longest = (SharedLoad.durationLimit + Limits.longestTimeout + Load.grace * 2) / .seconds(1)
        let use = recording.threadUse
        let times = [seconds, startErrorUs / 1e6, use?.processorSeconds ?? 0, use?.waitedSeconds ?? 0]
        guard times.allSatisfy({ $0.isFinite && (0...1e6).contains($0) }),
            seconds <= longest, Double(recording.seconds.count) <= longest + 2
        else { throw PlanError("a tester's times cannot be read") }
        _ = try LoadTotals.checked(recording.devices)
        _ = try LoadTotals.checked(use?.pageFaults ?? 0)
        var (totals, record) = (LoadTotals(), SecondRecord())
        try totals.add(recording.totals)
        for second in recording.seconds {
            try record.add(second)
            record.reset()
        }
    }
}

extension LoadMeasurement {
    init(_ result: LoadResult, of totals: LoadTotals, against objectives: [Objective]) {
        self.init(
            result: result,
            objectiveResults: objectives.map {
                $0.objectiveResult(on: totals.latency, failed: totals.failed)
            },
            percentileFile: totals.latency.percentileFile)
    }

    /// Adds the results of testers that ran one load together; that of a lost tester is nil. The objectives
    /// apply to the sum.
    public init(
        of plan: LoadPlan, devices: Int, from results: [(name: String, result: TesterResult?)],
        against objectives: [Objective]
    ) throws(PlanError) {
        var (totals, testers) = (LoadTotals(), [TesterFigures]())
        for (name, result) in results {
            guard let result else {
                testers.append(TesterFigures(lost: name))
                continue
            }
            var own = LoadTotals()
            try own.add(result.recording.totals)
            try totals.add(result.recording.totals)
            testers.append(TesterFigures(result, of: own, name: name))
        }
        let recordings = results.compactMap(\.result?.recording)
        let longest = recordings.map(\.durationSeconds).max() ?? 0
        self.init(
            totals.result(
                of: plan, devices: devices, lasting: .seconds(longest),
                isComplete: testers.allSatisfy { !$0.isLost }
                    && recordings.allSatisfy(\.isComplete),
                seconds: try Self.seconds(of: recordings), use: nil, testers: testers),
            of: totals, against: objectives)
    }

    /// Joins the parts of a load that were measured one after another, each of a second at most. The
    /// objectives apply to the whole.
    public init(
        of plan: LoadPlan, joining parts: [LoadRecording], against objectives: [Objective]
    ) throws(PlanError) {
        var (totals, seconds) = (LoadTotals(), [LoadSecond]())
        var (record, elapsed) = (SecondRecord(), 0.0)
        for part in parts {
            try totals.add(part.totals)
            if Int(elapsed) > seconds.count {
                seconds.append(record.figures(of: seconds.count))
                record.reset()
            }
            for second in part.seconds { try record.add(second) }
            elapsed += part.durationSeconds
        }
        seconds.append(record.figures(of: seconds.count))
        self.init(
            totals.result(
                of: plan, devices: parts.map(\.devices).max() ?? 0,
                lasting: .seconds(parts.reduce(0) { $0 + $1.durationSeconds }),
                isComplete: parts.allSatisfy(\.isComplete), seconds: seconds, use: nil),
            of: totals, against: objectives)
    }

    private static func seconds(of recordings: [LoadRecording]) throws(PlanError) -> [LoadSecond] {
        var (record, seconds) = (SecondRecord(), [LoadSecond]())
        for second in 0..<(recordings.map(\.seconds.count).max() ?? 0) {
            for recording in recordings where second < recording.seconds.count {
                try record.add(recording.seconds[second])
            }
            seconds.append(record.figures(of: second))
            record.reset()
        }
        return seconds
    }
}
