import Stepping

/// Where a load stands, for whoever watches it.
public struct LoadProgress: Equatable, Sendable {
    /// Totals of the warm-up while that lasts, then of the measurement.
    public struct Totals: Equatable, Sendable {
        /// Requests that were due.
        public let offered: Int
        /// Of these, applied.
        public let applied: Int
        /// Of these, not applied.
        public let failed: Int
        /// The latencies since the last progress.
        public let recent: LatencyFigures
    }

    /// Since the measurement began; negative during the warm-up.
    public let elapsed: Duration
    /// How long it is to last.
    public let duration: Duration
    /// Requests on their way.
    public let inFlight: Int
    /// Totals of the current part of the load.
    public let totals: Totals
}
