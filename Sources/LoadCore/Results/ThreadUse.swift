import FleetProtocol

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
