public import FleetProtocol

/// A command queue's identity: its ID is unique only within its account.
struct QueueKey: Hashable, Sendable {
    let account: AccountIndex
    let id: RequestID
}

struct CommandQueues: AccountTables {
    struct Bounds: Sendable {
        var live = Limits.liveQueues
        var count = Limits.accountQueues
    }

    var tables: [AccountIndex: QueueTable] = [:]
    /// The command queue of each request that was submitted as a command.
    var owners: [RequestKey: RequestID] = [:]
    /// Command queues that began a command since the last ``drainReady()``: its ID must be stored first.
    private var begun: [QueueKey] = []
    private var ready: [QueueKey] = []
    /// Command queues whose command could not be submitted, with the time of the next try.
    private var postponed: [(due: MonotonicTime, key: QueueKey)] = []
    /// The earliest retry of a postponed command; nil without one.
    private(set) var nextPostponed: MonotonicTime?
    /// Requests that an earlier run may have submitted without storing them; their outcome is never known.
    var lost: Set<RequestKey> = []
    let bounds: Bounds

    init(bounds: Bounds = Bounds()) { self.bounds = bounds }
    subscript(key: QueueKey) -> QueueRun? { tables[key.account]?[key.id] }

    var hasWork: Bool { !begun.isEmpty || !ready.isEmpty }

    /// The command queues that have not ended, by account, the oldest first.
    var live: [QueueKey] {
        tables.sorted { $0.key < $1.key }.flatMap { account, table in
            table.live.map { QueueKey(account: account, id: $0.report.id) }
        }
    }

    /// Whether an account's oldest queue must be removed to make room for another, within its share in bytes.
    func isCrowded(_ account: AccountIndex, by more: Int, within share: Int) -> Bool {
        let table = self[account]
        return table.ids.count >= bounds.count || table.bytes + more > share
    }

    // MARK: Commands

    mutating func disown(_ key: RequestKey) -> QueueKey? {
        owners.removeValue(forKey: key).map { QueueKey(account: key.account, id: $0) }
    }

    mutating func begin(_ key: QueueKey) { begun.append(key) }

    /// Returns the ready queues; queues that began a command since the last call become ready for the next.
    mutating func drainReady() -> [QueueKey] {
        let due = ready
        ready = begun
        begun.removeAll()
        return due
    }

    mutating func postpone(_ key: QueueKey, until due: MonotonicTime) {
        postponed.append((due, key))
        nextPostponed = min(nextPostponed ?? due, due)
    }

    mutating func releasePostponed(at now: MonotonicTime) {
        guard let first = nextPostponed, first <= now else { return }
        ready += postponed.filter { $0.due <= now }.map(\.key)
        postponed.removeAll { $0.due <= now }
        nextPostponed = postponed.map(\.due).min()
    }
}

/// The command queues of one account, ended ones included.
struct QueueTable: AccountTable {
    private var runs: [RequestID: QueueRun] = [:]
    /// The IDs of all command queues, the oldest first.
    private(set) var ids: [RequestID] = []
    private(set) var liveCount = 0
    private(set) var bytes = 0
    /// Command queues with IDs up to this time may have been removed; nil before the first removal.
    private(set) var horizon: WallTime?

    mutating func restore(_ record: QueueRecord) {
        switch record {
        case .report(let report): put(QueueRun(report))
        case .removed(let time): horizon = time
        }
    }

    subscript(id: RequestID) -> QueueRun? { runs[id] }

    /// The command queues that have not ended, the oldest first.
    var live: [QueueRun] { ids.compactMap { runs[$0] }.filter { !$0.report.state.isFinal } }

    func author(of request: RequestID) -> Email? {
        live.first { $0.current?.request == request }?.report.author
    }

    /// Whether the request IDs of another queue could equal those of a new queue with that ID.
    func clashes(with id: RequestID) -> Bool { ids.contains { $0.low == id.low && $0 != id } }

    /// How far an ID's time is behind the horizon of removed or lost command queues; nil if it is later.
    func lag(of id: RequestID, lostUpTo lost: WallTime? = nil) -> Duration? {
        guard let horizon = EndedRequests.later(horizon, lost), id.time <= horizon else { return nil }
        return id.time.duration(to: horizon)
    }

    /// A page of command queues, the newest first.
    func list(before: RequestID?, limit: Int) -> QueueList {
        let end = before.map { place(of: $0) } ?? ids.count
        let start = max(0, end - limit)
        let summaries = ids[start..<end].reversed().compactMap { runs[$0]?.report.summary }
        return QueueList(queues: summaries, isLast: start == 0)
    }

    mutating func put(_ run: QueueRun) {
        let id = run.report.id
        if let former = runs.updateValue(run, forKey: id) {
            count(former, by: -1)
        } else {
            ids.insert(id, at: place(of: id))
        }
        count(run, by: +1)
    }

    /// The oldest command queue that ended `age` ago: its start request can no longer arrive as a late copy.
    func oldestEnded(since age: Duration, at now: WallTime) -> RequestID? {
        ids.first { id in
            guard let endedAt = runs[id]?.report.endedAt else { return false }
            return endedAt.duration(to: now) >= max(age, Limits.shortestRetention)
                && id.time.duration(to: now) >= Limits.shortestRetention
        }
    }

    mutating func remove(_ id: RequestID) {
        guard let removed = runs.removeValue(forKey: id) else {
            preconditionFailure("queue \(id) does not exist")
        }
        ids.remove(at: place(of: id))
        count(removed, by: -1)
        horizon = max(horizon ?? id.time, id.time)
    }

    mutating func raise(to time: WallTime) -> WallTime {
        let raised = max(horizon ?? time, time)
        horizon = raised
        return raised
    }

    private mutating func count(_ run: QueueRun, by step: Int) {
        bytes += step * run.bytes
        if !run.report.state.isFinal { liveCount += step }
    }

    /// The place of the first ID that is not lower than the given one.
    private func place(of id: RequestID) -> Int {
        ids.sortedIndex(after: { $0 < id })
    }
}

extension QueueRecord: RecordContent {
    public typealias Request = QueueRequest

    public var key: RecordKey {
        switch self {
        case .removed: .only(0)
        case .report(let report): Self.key(of: report.id)
        }
    }

    package static func key(of queue: RequestID) -> RecordKey { .text(1, queue.description) }
}

extension [ServiceRecord] {
    /// Whether a command of a queue runs, which may have been sent; so may that of an unreadable record.
    public var hasOpenCommand: Bool {
        contains { record in
            guard record.service == QueueRecord.service else { return false }
            guard let content = try? QueueRecord(record) else { return true }
            guard case .report(let report) = content else { return false }
            return report.current != nil
        }
    }
}
