public import Logging
public import Stepping

/// Counts what a process did not understand, and says so at most once a second, however much of it comes.
///
/// Kinds are the shell's own words: they become the keys of the log's line.
public struct RefusedMessages<Kind: RawRepresentable & Hashable> where Kind.RawValue == String {
    private var counts: [Kind: Int] = [:]
    /// Why the first since the last report was refused; one example is enough to start looking.
    private var reason: String?
    private var reportedAt: MonotonicTime?

    /// Nothing refused yet.
    public init() {}

    /// Counts messages of one kind.
    ///
    /// - Parameters:
    ///   - count: How many; nothing happens when it is 0.
    ///   - reason: Why, in words without payloads; asked for once a report only.
    public mutating func count(
        _ kind: Kind, times count: Int = 1, because reason: @autoclosure () -> String? = nil
    ) {
        guard count > 0 else { return }
        counts[kind, default: 0] += count
        if self.reason == nil { self.reason = reason() }
    }

    /// The counts since the last report with one reason, if there are any and a second has passed.
    public mutating func report(at now: MonotonicTime) -> Logger.Metadata? {
        guard !counts.isEmpty, reportedAt.map({ $0.duration(to: now) >= .seconds(1) }) ?? true else {
            return nil
        }
        var metadata = Logger.Metadata(
            uniqueKeysWithValues: counts.map { ($0.key.rawValue, "\($0.value)") })
        if let reason { metadata["reason"] = "\(reason)" }
        (counts, reason, reportedAt) = ([:], nil, now)
        return metadata
    }
}
