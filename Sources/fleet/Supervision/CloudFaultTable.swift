import FleetProtocol

/// The cloud faults, stored by the supervisor so that they survive the gateway and the controller.
struct CloudFaultTable: Sendable {
    /// How long an inject or heal command waits until a gateway applies the change.
    static let timeout: Duration = .seconds(2)

    private struct Waiting: Sendable {
        let ticket: UInt64
        let revision: UInt64
        let until: MonotonicTime
        let ended: UInt32
    }

    /// A gateway that has the newest plan and waits for the next one.
    private struct Listening: Sendable {
        let ticket: UInt64
        let revision: UInt64
        let until: MonotonicTime
    }

    struct Reply: Equatable, Sendable {
        let ticket: UInt64
        /// Whether a gateway applies the change; otherwise the next one will.
        let isApplied: Bool
        let ended: UInt32
    }

    private var schedule: CloudFaultSchedule
    private var waiting: [Waiting] = []
    private var listening: Listening?

    /// A table with the faults of a scenario; its day has not begun, and that of nodes began at `beganAt`.
    init(seed: UInt64, day: CloudDay, beganAt: WallTime?) {
        schedule = CloudFaultSchedule(seed: seed, day: day, beganAt: beganAt)
    }

    /// Begins the day with the fleet, and removes expired faults.
    mutating func pass(to now: MonotonicTime) { schedule.pass(to: now) }

    /// Switches to another scenario's days, the first of which begins now.
    mutating func begin(_ day: CloudDay, beganAt: WallTime?, at now: MonotonicTime) {
        schedule.begin(day, beganAt: beganAt, at: now)
    }

    /// Returns why a fault cannot be added; nil if it can.
    func objection(to fault: CloudFault) -> String? {
        switch schedule.objection(to: fault) {
        case nil: nil
        case .tooManyFaults:
            "\(Limits.cloudFaults) cloud faults are active already: clear them with `fleet heal --cloud`"
        case .tooManyPods: "too many pods: leave the selector out, or use --share"
        }
    }

    /// Adds a fault without ``objection(to:)``; the command is answered later.
    mutating func inject(_ fault: CloudFault, for time: Duration, ticket: UInt64, at now: MonotonicTime) {
        schedule.inject(fault, for: time, at: now)
        wait(ticket, ended: 0, at: now)
    }

    /// Ends the injected faults, and today's faults of the scenario that end during the day. Returns whether
    /// a fault was ended; otherwise the command need not wait.
    mutating func heal(ticket: UInt64, at now: MonotonicTime) -> Bool {
        let ended = schedule.heal(at: now)
        if ended > 0 { wait(ticket, ended: ended, at: now) }
        return ended > 0
    }

    private mutating func wait(_ ticket: UInt64, ended: UInt32, at now: MonotonicTime) {
        waiting.append(
            Waiting(
                ticket: ticket, revision: schedule.revision, until: now.advanced(by: Self.timeout),
                ended: ended))
    }

    /// Records a gateway's report. Returns answers to commands whose change the gateway now applies, and
    /// whether the report has new counts.
    mutating func receive(_ report: CloudReport) -> (answers: [Reply], hasNewCounts: Bool) {
        let hasNewCounts = schedule.count(report)
        // A revision that was never sent is not this supervisor's.
        guard report.revision <= schedule.revision else { return ([], hasNewCounts) }
        return (answers(where: { $0.revision <= report.revision }, isApplied: true), hasNewCounts)
    }

    /// Lets a gateway with the newest plan wait for the next one. Returns the end of the wait, and the ticket
    /// of an earlier waiter, which must be answered now.
    mutating func listen(_ ticket: UInt64, at now: MonotonicTime) -> (until: MonotonicTime, former: UInt64?) {
        let until = now.advanced(by: CloudReport.longestHold)
        let former = listening?.ticket
        listening = Listening(ticket: ticket, revision: schedule.revision, until: until)
        return (until, former)
    }

    /// Ends the wait of a gateway if its time is over or the plan has changed; nil while it continues.
    mutating func release(at now: MonotonicTime) -> (ticket: UInt64, plan: CloudPlan?)? {
        guard let held = listening, held.until <= now || held.revision != schedule.revision else {
            return nil
        }
        listening = nil
        return (held.ticket, held.revision == schedule.revision ? nil : plan(at: now))
    }

    /// Returns the answers to commands whose wait has expired.
    mutating func late(at now: MonotonicTime) -> [Reply] {
        answers(where: { $0.until <= now }, isApplied: false)
    }

    private mutating func answers(where isDue: (Waiting) -> Bool, isApplied: Bool) -> [Reply] {
        let due = waiting.filter(isDue)
        waiting.removeAll(where: isDue)
        return due.map { Reply(ticket: $0.ticket, isApplied: isApplied, ended: $0.ended) }
    }

    /// Returns the plan for a gateway that applies an older revision; nil if it is current.
    func newPlan(for report: CloudReport, at now: MonotonicTime) -> CloudPlan? {
        report.revision == schedule.revision ? nil : plan(at: now)
    }

    /// The plan with all faults, active and planned.
    func plan(at now: MonotonicTime) -> CloudPlan { schedule.plan(at: now) }
}
