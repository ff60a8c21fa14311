import FleetProtocol

/// The router's access to requests and to the fleet; see the methods of ``Requests`` and ``Fleet``.
extension RequestEngine {
    var directory: Directory {
        @inline(__always) _read { yield fleet.directory }
        @inline(__always) _modify { yield &fleet.directory }
    }
    var meter: Meter {
        @inline(__always) _read { yield fleet.meter }
        @inline(__always) _modify { yield &fleet.meter }
    }
    var ended: EndedRequests {
        @inline(__always) _read { yield requests.ended }
    }
    var epoch: Epoch { fleet.epoch }
    var startedAt: MonotonicTime { fleet.startedAt }
    /// Whether the disk is full: nothing is admitted.
    var isStorageFull: Bool { requests.isStorageFull }
    /// When the earliest timer fires; nil without a timer.
    @inline(__always)
    var nextDue: MonotonicTime? { fleet.timers.nextDue }

    @inline(__always)
    var hasNotices: Bool { fleet.hasNotices }

    mutating func drainNotices() -> [Notice] { fleet.drainNotices() }

    mutating func subscribed(_ id: AccountID) {
        if let account = fleet.directory.account(id) { fleet.stream.subscribed(account) }
    }

    @inline(__always)
    mutating func admit(
        _ command: Command, of account: AccountIndex, by user: Email, policy: AdmissionPolicy,
        waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        requests.admit(
            command, of: account, by: user, policy: policy, waiter: waiter, at: now, in: &fleet,
            into: &effects)
    }

    mutating func cancel(
        _ key: RequestKey, by caller: Email, timeout: Duration?, policy: AdmissionPolicy,
        isForeignCommand: Bool, waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        requests.cancel(
            key, by: caller, timeout: timeout, policy: policy, isForeignCommand: isForeignCommand,
            waiter: waiter, at: now, in: &fleet, into: &effects)
    }

    func sendOutcome(_ key: RequestKey, to waiter: Waiter, at now: Moment, into effects: inout Effects) {
        requests.replyOutcome(of: key, to: waiter, at: now.monotonic, into: &effects)
    }

    mutating func find(
        _ key: RequestKey, _ content: RequestContent, at now: Moment, into effects: inout Effects
    ) -> Requests.Finding {
        requests.find(key, content, at: now, in: &fleet, into: &effects)
    }

    mutating func submit(
        _ key: RequestKey, _ content: RequestContent, by user: Email, timeout: Duration,
        runningTime: Duration, at now: Moment, into effects: inout Effects
    ) -> Refusal? {
        requests.submit(
            key, content, by: user, timeout: timeout, serviceTime: runningTime, at: now, in: &fleet,
            into: &effects)
    }

    mutating func resumeReporting(on key: RequestKey, runningTime: Duration) -> Bool {
        requests.resumeReporting(on: key, serviceTime: runningTime, in: &fleet)
    }

    mutating func cancelForService(_ key: RequestKey, at now: Moment, into effects: inout Effects) -> Bool {
        requests.cancelForService(key, at: now, in: &fleet, into: &effects)
    }

    mutating func cancelWaiting(
        at now: Moment, into effects: inout Effects, where isMeant: (AccountID, Email) -> Bool
    ) {
        requests.cancelWaiting(at: now, in: &fleet, into: &effects, where: isMeant)
    }

    var openEntries: [JournalEntry] { requests.entries(in: fleet.directory) }

    func snapshot(
        of account: AccountIndex, from cursor: UInt32, to end: UInt32, at now: Moment
    ) -> SnapshotChunk {
        fleet.snapshot(of: account, from: cursor, to: end, at: now)
    }

    func status(of account: AccountIndex, at now: MonotonicTime) -> StatusReport {
        fleet.status(of: account, pending: requests.open.count, at: now)
    }

    func history(
        of account: AccountIndex, back: Duration, from cursor: UInt32, at now: Moment
    ) -> HistoryChunk {
        requests.ended.history(of: account, back: back, from: cursor, at: now)
    }

    func counters(of account: AccountIndex, from cursor: UInt32) -> CounterReport {
        fleet.counters(of: account, from: cursor)
    }
}
