import Logging
import Stepping

/// Counts what was not understood, and says so at most once a second.
struct RefusedMessages {
    enum Kind: String, CaseIterable {
        case frames, client, node, telemetry, unread
    }

    private static let interval: Duration = .seconds(1)

    private var counts: [Kind: Int] = [:]
    private var reportedAt: MonotonicTime?

    mutating func count(_ kind: Kind) {
        counts[kind, default: 0] += 1
    }

    /// The counts since the last report, if there are any and it is time.
    mutating func report(at now: MonotonicTime) -> Logger.Metadata? {
        guard !counts.isEmpty, reportedAt.map({ $0.duration(to: now) >= Self.interval }) ?? true else {
            return nil
        }
        defer { counts = [:] }
        reportedAt = now
        return Logger.Metadata(uniqueKeysWithValues: counts.map { ($0.key.rawValue, "\($0.value)") })
    }
}
