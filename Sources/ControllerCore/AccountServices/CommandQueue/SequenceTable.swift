import FleetProtocol
import Stepping

/// The sequences of one account, those that have ended included.
struct SequenceTable: Sendable {
    private var runs: [RequestID: SequenceRun] = [:]
    /// The ids of all, the oldest first.
    private(set) var ids: [RequestID] = []
    /// How many have not ended.
    private(set) var liveCount = 0
    /// What they take.
    private(set) var bytes = 0
    /// Of those with ids up to that time some are forgotten; nil: none is.
    private(set) var horizon: WallTime?

    /// One without any.
    init() {}

    /// One that an earlier life of the controller has kept.
    init(_ kept: KeptSequences) {
        for report in kept.reports { put(SequenceRun(report)) }
        horizon = kept.horizon
    }

    subscript(id: RequestID) -> SequenceRun? { runs[id] }

    /// Those that have not ended, the oldest first.
    var live: [SequenceRun] { ids.compactMap { runs[$0] }.filter { !$0.report.state.isFinal } }

    /// Who has started the sequence whose command that runs a request is; nil where it is of none.
    func author(of request: RequestID) -> Email? {
        live.first { $0.current?.request == request }?.report.author
    }

    /// Whether the requests of another sequence could be those of a new one with that id.
    func clashes(with id: RequestID) -> Bool { ids.contains { $0.low == id.low && $0 != id } }

    /// How far an id's time is behind what was forgotten, or may be lost; nil when it is not.
    ///
    /// - Parameter lost: Whatever was begun up to then may be lost; nil: nothing is.
    func lag(of id: RequestID, lostUpTo lost: WallTime? = nil) -> Duration? {
        guard let horizon = EndedRequests.later(horizon, lost), id.time <= horizon else { return nil }
        return id.time.duration(to: horizon)
    }

    /// Some of them, those made last first.
    func list(before: RequestID?, limit: Int) -> SequenceList {
        let end = before.map { place(of: $0) } ?? ids.count
        let start = max(0, end - limit)
        let summaries = ids[start..<end].reversed().compactMap { runs[$0]?.report.summary }
        return SequenceList(sequences: summaries, isLast: start == 0)
    }

    /// Takes one in, or the newest state of one that is there.
    mutating func put(_ run: SequenceRun) {
        let id = run.report.id
        if let former = runs.updateValue(run, forKey: id) {
            count(former, by: -1)
        } else {
            ids.insert(id, at: place(of: id))
        }
        count(run, by: +1)
    }

    /// The oldest that has ended, if a late copy of what started it cannot be on its way any more.
    ///
    /// - Parameter age: How long ago it has ended, at least.
    func oldestEnded(since age: Duration, at now: WallTime) -> RequestID? {
        ids.first { id in
            guard let endedAt = runs[id]?.report.endedAt else { return false }
            return endedAt.duration(to: now) >= max(age, Limits.shortestRetention)
                && id.time.duration(to: now) >= Limits.shortestRetention
        }
    }

    /// Forgets one that has ended.
    mutating func forget(_ id: RequestID) {
        guard let gone = runs.removeValue(forKey: id) else {
            preconditionFailure("sequence \(id) is not there")
        }
        ids.remove(at: place(of: id))
        count(gone, by: -1)
        horizon = max(horizon ?? id.time, id.time)
    }

    private mutating func count(_ run: SequenceRun, by step: Int) {
        bytes += step * run.bytes
        if !run.report.state.isFinal { liveCount += step }
    }

    /// The place of the first id that is not before that one.
    private func place(of id: RequestID) -> Int {
        var (first, end) = (0, ids.count)
        while first < end {
            let middle = (first + end) / 2
            if ids[middle] < id { first = middle + 1 } else { end = middle }
        }
        return first
    }
}
