import FleetProtocol
import HeapModule
import Stepping

/// What became of requests: remembered so that a repeat gets the first answer, forgotten behind a horizon.
struct EndedRequests: Sendable {
    /// One that ended.
    struct Entry: Sendable {
        let report: OutcomeReport
        /// What was asked; nil where only a cancel of the id ever arrived.
        let content: RequestContent?
        let endedAt: WallTime
    }

    private struct Age: Comparable, Sendable {
        let idTime: WallTime
        let key: RequestKey

        /// Of ids of one millisecond the same is always the older, in whatever order they were learnt.
        static func < (left: Age, right: Age) -> Bool {
            left.key.id == right.key.id ? left.key.account < right.key.account : left.key.id < right.key.id
        }
    }

    /// Entries that one call of ``prune(at:)`` forgets at most, so that it never holds up the loop.
    private static let pruneSlice = 256

    private let retention: ControllerConfiguration.Retention
    private let planted: Planting
    private var entries = Pages<Entry>()
    private var places: [RequestKey: Pages<Entry>.Place] = [:]
    private var oldest = Heap<Age>()
    /// The newest id time ever forgotten: an id at or before it may have been seen.
    private(set) var horizon: WallTime?

    init(retention: ControllerConfiguration.Retention, planted: Planting = Planting()) {
        self.retention = retention
        self.planted = planted
    }

    /// How many are remembered.
    var count: Int { places.count }

    /// Whether there is no room for another.
    var isFull: Bool { count >= retention.resultsAtMost }

    subscript(key: RequestKey) -> Entry? { places[key].map { entries[$0] } }

    mutating func insert(_ entry: Entry, for key: RequestKey) {
        let former = places.updateValue(entries.insert(entry), forKey: key)
        precondition(former == nil, "request \(key.id) ended twice")
        oldest.insert(Age(idTime: key.id.time, key: key))
    }

    /// Takes over the horizon of an earlier life.
    mutating func raise(to horizon: WallTime) {
        self.horizon = max(self.horizon ?? horizon, horizon)
    }

    /// How far an id's time is behind the horizon; nil when it is not.
    func lag(of id: RequestID) -> Duration? {
        guard let horizon, id.time <= horizon else { return nil }
        return id.time.duration(to: horizon)
    }

    /// Forgets a slice of what is old enough; returns the horizon when it rose.
    mutating func prune(at now: WallTime) -> WallTime? {
        let before = horizon
        for _ in 0..<Self.pruneSlice {
            guard let age = oldest.min, age.idTime.duration(to: now) >= retention.shortest,
                let place = places[age.key], mayForget(entries[place], at: now)
            else { break }
            oldest.removeMin()
            places[age.key] = nil
            entries.remove(at: place)
            if !planted(.noHorizon) { horizon = max(horizon ?? age.idTime, age.idTime) }
        }
        return horizon == before ? nil : horizon
    }

    private func mayForget(_ entry: Entry, at now: WallTime) -> Bool {
        let sinceEnd = entry.endedAt.duration(to: now)
        guard sinceEnd >= retention.shortest else { return false }
        return count > retention.results || sinceEnd >= retention.longest
    }
}
