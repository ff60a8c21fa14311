import FleetProtocol
import UserText

/// Statistics of a latency, in microseconds; nil if nothing was measured.
public struct LatencyFigures: Equatable, Sendable {
    public let count: UInt64
    public let mean: Double?
    public let p50: Double?
    public let p90: Double?
    public let p99: Double?
    public let p999: Double?
    public let max: Double?
}

extension LatencyFigures {
    /// The figures in words: mean, median, the 90th, 99th and 99.9th percentile, and maximum.
    public var texts: [String] { [mean, p50, p90, p99, p999, max].map { FigureText.time(us: $0) } }

    static let none = LatencyFigures(count: 0, mean: nil, p50: nil, p90: nil, p99: nil, p999: nil, max: nil)
}

extension LatencyFigures: Codable {
    /// Encodes every key, with null if nothing was measured: scripts rely on all keys.
    public func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(count, forKey: .count)
        try members.encode(mean, forKey: .mean)
        try members.encode(p50, forKey: .p50)
        try members.encode(p90, forKey: .p90)
        try members.encode(p99, forKey: .p99)
        try members.encode(p999, forKey: .p999)
        try members.encode(max, forKey: .max)
    }
}

struct DistributionPoint: Codable, Equatable, Sendable {
    let percentile: Double
    let us: Double
    let count: UInt64
}

/// The latency of the applied toggles by hop; the means of the hops add up to the mean latency.
public struct HopFigures: Codable, Equatable, Sendable {
    /// In the tester, from the due time until the request was sent.
    let testerUs: LatencyFigures
    /// In the device's lane, until the controller dispatched the command.
    let queueUs: LatencyFigures
    /// In the journal, before the command was sent to the device.
    let journalUs: LatencyFigures
    /// Between controller and device, in both directions.
    let wireUs: LatencyFigures
    let deviceUs: LatencyFigures
    /// The rest: between tester and controller in both directions, and in the controller before its reply.
    let replyUs: LatencyFigures

    /// Each hop with its name, in the order of the path.
    var parts: [(name: String, figures: LatencyFigures)] {
        [
            ("tester", testerUs), ("queue", queueUs), ("journal", journalUs), ("wire", wireUs),
            ("device", deviceUs), ("reply", replyUs),
        ]
    }
}

public struct CancelFigures: Codable, Equatable, Sendable {
    /// Requests that were cancelled: they were not applied and never will be.
    public internal(set) var inTime = 0
    /// Requests that had already ended.
    public internal(set) var tooLate = 0
    /// Requests whose device had received the abort and not confirmed it yet.
    public internal(set) var pending = 0
    /// Cancels with any other reply, such as a refusal.
    public internal(set) var refused = 0
    /// Requests that were given up after their cancel was sent.
    public internal(set) var noAnswer = 0
    /// The time from sending a cancel to its reply.
    public internal(set) var latencyUs: LatencyFigures
}

/// The results of the requests that were sent twice.
public struct RetryFigures: Codable, Equatable, Sendable {
    /// Both copies got the same outcome, as the protocol guarantees.
    public internal(set) var alike = 0
    /// The copies got different outcomes, which violates the guarantee.
    public internal(set) var different = 0
    /// At least one copy got a refusal or an outcome that is not final, so they cannot be compared.
    public internal(set) var undecided = 0
    /// Requests that were given up after their second copy was sent.
    public internal(set) var noAnswer = 0
}

/// Processor time and memory faults of a thread, since its start or over a period.
public struct ThreadUse: Codable, Equatable, Sendable {
    public let processorSeconds: Double
    /// The time in which it was ready to run but had no processor, in seconds.
    public let waitedSeconds: Double
    public let pageFaults: Int

    public init(processorSeconds: Double, waitedSeconds: Double, pageFaults: Int) {
        (self.processorSeconds, self.waitedSeconds) = (processorSeconds, waitedSeconds)
        self.pageFaults = pageFaults
    }

    static func - (now: ThreadUse, before: ThreadUse) -> ThreadUse {
        ThreadUse(
            processorSeconds: rounded(now.processorSeconds - before.processorSeconds),
            waitedSeconds: rounded(now.waitedSeconds - before.waitedSeconds),
            pageFaults: now.pageFaults - before.pageFaults)
    }

    /// Seconds with six decimals at most.
    private static func rounded(_ seconds: Double) -> Double { (seconds * 1e6).rounded() / 1e6 }
}

/// The resource use of a thread at the beginning and the end of a measurement.
struct ThreadUses: Sendable {
    private var first: ThreadUse?
    private var last: ThreadUse?

    /// Records the use so far; records after the end are ignored.
    mutating func record(
        _ use: ThreadUse, at now: MonotonicTime, measuredFrom start: MonotonicTime, to end: MonotonicTime
    ) {
        if first == nil || now <= start {
            first = use
        } else if now <= end {
            last = use
        }
    }

    /// The difference between the first and the last note; nil with fewer than two notes.
    var measured: ThreadUse? {
        guard let first, let last else { return nil }
        return last - first
    }
}
