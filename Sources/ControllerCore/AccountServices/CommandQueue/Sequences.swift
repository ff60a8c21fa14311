public import FleetProtocol
public import Stepping

/// A sequence's identity: an id means something only within its account.
struct SequenceKey: Hashable, Sendable {
    let account: AccountIndex
    let id: RequestID
}

/// The sequences of all accounts, and which commands of them are to be let in, or run.
struct Sequences: Sendable {
    /// What sequences may take.
    struct Bounds: Sendable {
        var live = Limits.liveSequences
        var count = Limits.accountSequences
    }

    private var tables: [AccountIndex: SequenceTable] = [:]
    /// Of each request of a command that was let in, whose command it is.
    private var owners: [RequestKey: RequestID] = [:]
    /// Those whose next command's turn has come in this turn of the loop: that is to be kept first.
    private var begun: [SequenceKey] = []
    /// Those whose next command may be let in.
    private var ready: [SequenceKey] = []
    /// Those whose next command could not be let in, and when to try again.
    private var postponed: [(due: MonotonicTime, key: SequenceKey)] = []
    /// When the first of them is tried again; nil if there is none.
    private(set) var nextPostponed: MonotonicTime?
    /// Requests that an earlier life may have let in, and of which nothing was to be kept.
    private var lost: Set<RequestKey> = []
    let bounds: Bounds

    init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// An account's; empty where there never was one.
    subscript(account: AccountIndex) -> SequenceTable { tables[account] ?? SequenceTable() }

    /// One of them; nil where there is none.
    subscript(key: SequenceKey) -> SequenceRun? { tables[key.account]?[key.id] }

    /// Whether a command waits to be let in.
    var hasWork: Bool { !begun.isEmpty || !ready.isEmpty }

    /// Every one that has not ended, by accounts, the oldest first.
    var live: [SequenceKey] {
        tables.sorted { $0.key < $1.key }.flatMap { account, table in
            table.live.map { SequenceKey(account: account, id: $0.report.id) }
        }
    }

    /// Whether there ever was one.
    func has(_ account: AccountIndex) -> Bool { tables[account] != nil }

    /// Takes over what an earlier life has kept.
    mutating func take(_ kept: KeptSequences, of account: AccountIndex) {
        change(account) { $0 = SequenceTable(kept) }
    }

    /// Takes one in, or the newest state of one that is there.
    mutating func put(_ run: SequenceRun, of account: AccountIndex) {
        change(account) { $0.put(run) }
    }

    /// Forgets one that has ended.
    mutating func forget(_ key: SequenceKey) {
        change(key.account) { $0.forget(key.id) }
    }

    /// Whether an account's oldest sequence has to go so that it has room for another.
    ///
    /// - Parameter share: The bytes that it may have.
    func isCrowded(_ account: AccountIndex, by more: Int, within share: Int) -> Bool {
        let table = self[account]
        return table.ids.count >= bounds.count || table.bytes + more > share
    }

    // MARK: Commands

    /// The sequence that a request is a command of; nil where it was not let in as one.
    func owner(of key: RequestKey) -> RequestID? { owners[key] }

    /// A request is the command of a sequence from now on.
    mutating func own(_ key: RequestKey, by sequence: RequestID) {
        owners[key] = sequence
    }

    /// A request has ended; the sequence whose command it was.
    mutating func disown(_ key: RequestKey) -> SequenceKey? {
        owners.removeValue(forKey: key).map { SequenceKey(account: key.account, id: $0) }
    }

    /// What became of a request can never be known: it may have been let in by an earlier life, of which no
    /// request was kept.
    mutating func lose(_ key: RequestKey) {
        lost.insert(key)
    }

    /// Whether what became of a request can never be known.
    func isLost(_ key: RequestKey) -> Bool { lost.contains(key) }

    /// It is the next command's turn.
    mutating func begin(_ key: SequenceKey) {
        begun.append(key)
    }

    /// What was begun before the last turn is kept by now, and may be let in; what was begun since is next.
    mutating func takeReady() -> [SequenceKey] {
        let due = ready
        ready = begun
        begun.removeAll()
        return due
    }

    /// What was begun counts as kept, though it is not: a planted mistake.
    mutating func skipTurn() {
        ready += begun
        begun.removeAll()
    }

    /// Each command whose turn it is gets another request: a planted mistake.
    mutating func takeTurnsAgain(at now: WallTime) {
        for key in live {
            guard var run = self[key] else { continue }
            run.takeTurnAgain(at: now)
            put(run, of: key.account)
        }
    }

    /// Has a command wait that cannot be let in now.
    mutating func postpone(_ key: SequenceKey, until due: MonotonicTime) {
        postponed.append((due, key))
        nextPostponed = min(nextPostponed ?? due, due)
    }

    /// Those that have waited long enough may be let in.
    mutating func goOn(at now: MonotonicTime) {
        guard let first = nextPostponed, first <= now else { return }
        ready += postponed.filter { $0.due <= now }.map(\.key)
        postponed.removeAll { $0.due <= now }
        nextPostponed = postponed.map(\.due).min()
    }

    private mutating func change(_ account: AccountIndex, _ change: (inout SequenceTable) -> Void) {
        var table = tables.removeValue(forKey: account) ?? SequenceTable()
        change(&table)
        tables[account] = table
    }
}

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

/// The sequences of an account, as they were kept.
public struct KeptSequences: Hashable, Sendable {
    /// Whose they are.
    public let account: AccountID
    /// The sequences.
    public let reports: [SequenceReport]
    /// Of those with ids up to that time some are forgotten; nil: none is.
    public let horizon: WallTime?

    /// The sequences of those parts.
    public init(account: AccountID, reports: [SequenceReport], horizon: WallTime?) {
        self.account = account
        self.reports = reports
        self.horizon = horizon
    }
}
