import Stepping

/// Where a load stands, for whoever watches it.
public struct LoadProgress: Equatable, Sendable {
    /// Since the measurement began; negative during the warm-up.
    public let elapsed: Duration
    /// How long it is to last.
    public let duration: Duration
    /// Requests that were due and count.
    public let offered: Int
    /// Of these, applied.
    public let applied: Int
    /// Of these, not applied.
    public let failed: Int
    /// Requests on their way.
    public let inFlight: Int
    /// The latencies since this was last looked at.
    public let recent: LatencyFigures
}
