import FleetProtocol

/// The cloud faults, stored by the supervisor so that they survive the gateway and the controller.
struct CloudFaultTable: Sendable {
    /// How long an inject or heal command waits until a gateway applies the change.
    static let timeout: Duration = .seconds(2)

    private struct Injected: Sendable {
        let number: UInt64
        let fault: CloudFault
        let from: MonotonicTime
        let until: MonotonicTime
        var met: UInt64 = 0
    }

    private struct Daily: Sendable {
        let number: UInt64
        let part: CloudDay.Part
        var restUntil: MonotonicTime
        var met: UInt64 = 0
    }

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

    private let seed: UInt64
    private var revision: UInt64 = 1
    private var lastNumber: UInt64 = 0
    private var day: CloudDay
    private var began: MonotonicTime?
    private var beganAt: WallTime?
    private var daily: [Daily] = []
    private var injected: [Injected] = []
    private var waiting: [Waiting] = []
    private var listening: Listening?

    /// A table with the faults of a scenario; its day has not begun, and that of nodes began at `beganAt`.
    init(seed: UInt64, day: CloudDay, beganAt: WallTime?) {
        (self.seed, self.day, self.beganAt) = (seed, day, beganAt)
        setParts(day, at: .zero)
    }

    /// Begins the day with the fleet, and removes expired faults.
    mutating func pass(to now: MonotonicTime) {
        began = began ?? now
        injected.removeAll { one in one.until <= now || one.fault.times.map { one.met >= $0 } ?? false }
    }

    /// Switches to another scenario's days, the first of which begins now.
    mutating func begin(_ day: CloudDay, beganAt: WallTime?, at now: MonotonicTime) {
        (self.day, self.beganAt) = (day, beganAt)
        began = now
        revision += 1
        setParts(day, at: now)
    }

    private mutating func setParts(_ day: CloudDay, at now: MonotonicTime) {
        daily = day.parts.map {
            lastNumber += 1
            return Daily(number: lastNumber, part: $0, restUntil: now)
        }
    }

    /// Returns why a fault cannot be added; nil if it can.
    func objection(to fault: CloudFault) -> String? {
        guard injected.count < Limits.cloudFaults else {
            return
                "\(Limits.cloudFaults) cloud faults are active already: clear them with `fleet heal --cloud`"
        }
        let bytes = (injected.map(\.fault) + [fault]).reduce(0) { sum, fault in
            sum + fault.pods.reduce(0) { $0 + $1.utf8.count + 2 }
        }
        guard bytes <= Limits.cloudPodBytes else {
            return "too many pods: leave the selector out, or use --share"
        }
        return nil
    }

    /// Adds a fault without ``objection(to:)``; the command is answered later.
    mutating func inject(_ fault: CloudFault, for time: Duration, ticket: UInt64, at now: MonotonicTime) {
        precondition(objection(to: fault) == nil, "more faults than allowed")
        revision += 1
        lastNumber += 1
        injected.append(Injected(number: lastNumber, fault: fault, from: now, until: now.advanced(by: time)))
        wait(ticket, ended: 0, at: now)
    }

    /// Ends the injected faults, and today's faults of the scenario that end during the day. Returns whether
    /// a fault was ended; otherwise the command need not wait.
    mutating func heal(ticket: UInt64, at now: MonotonicTime) -> Bool {
        let plan = plan(at: now)
        var ended = UInt32(injected.count)
        injected = []
        for index in daily.indices {
            guard let planned = plan.faults.first(where: { $0.number == daily[index].number }),
                plan.age(of: planned, after: .zero) != nil, let end = plan.end(of: planned)
            else { continue }
            daily[index].restUntil = now.advanced(by: end)
            ended += 1
        }
        guard ended > 0 else { return false }
        revision += 1
        wait(ticket, ended: ended, at: now)
        return true
    }

    private mutating func wait(_ ticket: UInt64, ended: UInt32, at now: MonotonicTime) {
        waiting.append(
            Waiting(ticket: ticket, revision: revision, until: now.advanced(by: Self.timeout), ended: ended))
    }

    /// Records a gateway's report. Returns answers to commands whose change the gateway now applies, and
    /// whether the report has new counts.
    mutating func receive(_ report: CloudReport) -> (answers: [Reply], hasNewCounts: Bool) {
        var hasNewCounts = false
        for meeting in report.meetings {
            if let index = injected.firstIndex(where: { $0.number == meeting.number }) {
                hasNewCounts = hasNewCounts || meeting.met > injected[index].met
                injected[index].met = max(injected[index].met, meeting.met)
            } else if let index = daily.firstIndex(where: { $0.number == meeting.number }) {
                hasNewCounts = hasNewCounts || meeting.met > daily[index].met
                daily[index].met = max(daily[index].met, meeting.met)
            }
        }
        // A revision that was never sent is not this supervisor's.
        guard report.revision <= revision else { return ([], hasNewCounts) }
        return (answers(where: { $0.revision <= report.revision }, isApplied: true), hasNewCounts)
    }

    /// Lets a gateway with the newest plan wait for the next one. Returns the end of the wait, and the ticket
    /// of an earlier waiter, which must be answered now.
    mutating func listen(_ ticket: UInt64, at now: MonotonicTime) -> (until: MonotonicTime, former: UInt64?) {
        let until = now.advanced(by: CloudReport.longestHold)
        let former = listening?.ticket
        listening = Listening(ticket: ticket, revision: revision, until: until)
        return (until, former)
    }

    /// Ends the wait of a gateway if its time is over or the plan has changed; nil while it continues.
    mutating func release(at now: MonotonicTime) -> (ticket: UInt64, plan: CloudPlan?)? {
        guard let held = listening, held.until <= now || held.revision != revision else { return nil }
        listening = nil
        return (held.ticket, held.revision == revision ? nil : plan(at: now))
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
        report.revision == revision ? nil : plan(at: now)
    }

    /// The plan with all faults, active and planned.
    func plan(at now: MonotonicTime) -> CloudPlan {
        let planned =
            daily.map { one in
                PlannedCloudFault(
                    number: one.number, fault: one.part.fault,
                    span: .daily(
                        from: one.part.from, to: one.part.to,
                        rest: max(.zero, now.duration(to: one.restUntil))),
                    met: one.met)
            }
            + injected.map { one in
                PlannedCloudFault(
                    number: one.number, fault: one.fault,
                    span: .injected(
                        age: one.from.duration(to: now), remaining: max(.zero, now.duration(to: one.until))),
                    met: one.met)
            }
        return CloudPlan(
            revision: revision, seed: seed, day: day, elapsed: (began ?? now).duration(to: now),
            faults: planned, beganAt: beganAt)
    }
}
