/// The faults of a simulated cloud: those that a scenario's day has, and injected ones.
package struct CloudFaultSchedule: Sendable {
    /// Why a fault cannot be added.
    package enum Objection: Sendable {
        /// ``Limits/cloudFaults`` are active already.
        case tooManyFaults
        /// The faults name more than ``Limits/cloudPodBytes`` of pods.
        case tooManyPods
    }

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

    private let seed: UInt64
    /// The number of the plan; it grows with each change.
    package private(set) var revision: UInt64 = 1
    private var lastNumber: UInt64 = 0
    private var day: CloudDay
    private var began: MonotonicTime?
    private var beganAt: WallTime?
    private var daily: [Daily] = []
    private var injected: [Injected] = []

    /// The faults of a scenario; its day has not begun, and that of nodes began at `beganAt`.
    package init(seed: UInt64, day: CloudDay, beganAt: WallTime?) {
        (self.seed, self.day, self.beganAt) = (seed, day, beganAt)
        setParts(day, at: .zero)
    }

    /// Begins the day with the fleet, and removes expired faults.
    package mutating func pass(to now: MonotonicTime) {
        began = began ?? now
        injected.removeAll { one in one.until <= now || one.fault.times.map { one.met >= $0 } ?? false }
    }

    /// Switches to another scenario's days, the first of which begins now.
    package mutating func begin(_ day: CloudDay, beganAt: WallTime?, at now: MonotonicTime) {
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
    package func objection(to fault: CloudFault) -> Objection? {
        guard injected.count < Limits.cloudFaults else { return .tooManyFaults }
        let bytes = (injected.map(\.fault) + [fault]).reduce(0) { sum, fault in
            sum + fault.pods.reduce(0) { $0 + $1.utf8.count + 2 }
        }
        return bytes <= Limits.cloudPodBytes ? nil : .tooManyPods
    }

    /// Adds a fault without ``objection(to:)``.
    package mutating func inject(_ fault: CloudFault, for time: Duration, at now: MonotonicTime) {
        precondition(objection(to: fault) == nil, "more faults than allowed")
        revision += 1
        lastNumber += 1
        injected.append(Injected(number: lastNumber, fault: fault, from: now, until: now.advanced(by: time)))
    }

    /// Ends the injected faults, and today's faults of the scenario that end during the day; returns their
    /// number.
    package mutating func heal(at now: MonotonicTime) -> UInt32 {
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
        if ended > 0 { revision += 1 }
        return ended
    }

    /// Records the counts of a gateway's report; returns whether it has new ones.
    package mutating func count(_ report: CloudReport) -> Bool {
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
        return hasNewCounts
    }

    /// The plan with all faults, active and planned.
    package func plan(at now: MonotonicTime) -> CloudPlan {
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
