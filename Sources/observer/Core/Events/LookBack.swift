import FleetProtocol
import FleetReplica

/// Collects the outcomes from before an observer started, chunk by chunk, and reports them once.
struct LookBack: Sendable {
    /// The largest number of outcomes to report; of more, the newest.
    static let limit = 10_000

    let back: Duration
    private var outcomes: [RequestID: HistoryChunk.PastOutcome] = [:]
    private var completeSince: WallTime?
    private var reported: Set<RequestID> = []
    private var omitted = 0

    init(back: Duration) { self.back = back }

    mutating func append(_ chunk: HistoryChunk) {
        completeSince = chunk.completeSince
        for outcome in chunk.outcomes { outcomes[outcome.report.requestID] = outcome }
        guard outcomes.count > 2 * Self.limit else { return }
        let retained = sorted().suffix(Self.limit)
        omitted += outcomes.count - retained.count
        outcomes = Dictionary(uniqueKeysWithValues: retained.map { ($0.report.requestID, $0) })
    }

    /// Notes an event that was already reported, so that it is not reported twice.
    mutating func exclude(_ event: ObserverEvent) {
        if case .fleet(.outcome(let outcome)) = event.body { reported.insert(outcome.report.requestID) }
    }

    /// Returns the events to report, oldest first, after a notice with their extent.
    func events(for replica: Replica, at now: Moment) -> [ObserverEvent] {
        let ends = sorted().filter { !reported.contains($0.report.requestID) }
        let shown = ends.suffix(Self.limit)
        let start = now.wall.advanced(by: .zero - back)
        let gap = completeSince.flatMap { $0 > start ? $0 : nil }
        let history = ObserverEvent.History(
            back: back, ends: shown.count, omitted: omitted + ends.count - shown.count, completeSince: gap)
        return [ObserverEvent(at: now.wall, .history(history))]
            + shown.map { past in
                let outcome = FleetEvent.Outcome(
                    report: past.report, device: past.report.device.map(replica.named), before: nil)
                return ObserverEvent(at: past.endedAt, .outcome(outcome))
            }
    }

    private func sorted() -> [HistoryChunk.PastOutcome] {
        outcomes.values.sorted { ($0.endedAt, $0.report.requestID) < ($1.endedAt, $1.report.requestID) }
    }
}
