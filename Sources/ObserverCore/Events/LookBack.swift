public import FleetProtocol
public import FleetReplica
public import FleetTime

/// What ended before an observer came: gathered chunk by chunk, told once.
public struct LookBack: Sendable {
    /// Ends that are told at most; of more, the newest.
    public static let limit = 10_000

    /// How far back.
    public let back: Duration
    private var outcomes: [RequestID: HistoryChunk.PastOutcome] = [:]
    private var completeSince: WallTime?
    /// Requests of whose end the stream has told meanwhile.
    private var heard: Set<RequestID> = []
    private var leftOut = 0

    /// A look that far back.
    public init(back: Duration) { self.back = back }

    /// Takes a chunk.
    public mutating func take(_ chunk: HistoryChunk) {
        completeSince = chunk.completeSince
        for outcome in chunk.outcomes { outcomes[outcome.report.requestID] = outcome }
        guard outcomes.count > 2 * Self.limit else { return }
        let kept = sorted().suffix(Self.limit)
        leftOut += outcomes.count - kept.count
        outcomes = Dictionary(uniqueKeysWithValues: kept.map { ($0.report.requestID, $0) })
    }

    /// Takes an event that was told meanwhile, so that it is not told twice.
    public mutating func hear(_ event: ObserverEvent) {
        if case .fleet(.outcome(let outcome)) = event.body { heard.insert(outcome.report.requestID) }
    }

    /// The events to be told, the oldest first, behind one that says how far they reach.
    public func events(for replica: Replica, at now: Moment) -> [ObserverEvent] {
        let ends = sorted().filter { !heard.contains($0.report.requestID) }
        let told = ends.suffix(Self.limit)
        let start = now.wall.advanced(by: .zero - back)
        let gap = completeSince.flatMap { $0 > start ? $0 : nil }
        let history = ObserverEvent.History(
            back: back, ends: told.count, leftOut: leftOut + ends.count - told.count, completeSince: gap)
        return [ObserverEvent(at: now.wall, .history(history))]
            + told.map { past in
                let outcome = FleetEvent.Outcome(
                    report: past.report, device: past.report.device.map(replica.named), before: nil)
                return ObserverEvent(at: past.endedAt, .outcome(outcome))
            }
    }

    private func sorted() -> [HistoryChunk.PastOutcome] {
        outcomes.values.sorted { ($0.endedAt, $0.report.requestID) < ($1.endedAt, $1.report.requestID) }
    }
}
