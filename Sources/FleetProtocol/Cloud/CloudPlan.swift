/// The current and future faults of the simulated cloud, which the supervisor stores and sends to the
/// gateway.
public struct CloudPlan: Hashable, Sendable {
    /// The number of the plan, unique within the supervisor; from 1.
    public var revision: UInt64
    /// The seed of all random decisions.
    public var seed: UInt64
    /// The simulated clock of the scenario; its parts are among ``faults``.
    public var day: CloudDay
    /// The real time since the scenario's day began.
    public var elapsed: Duration
    /// When that day began; nil if unknown, and then Sensibo's API shows the real time.
    public var beganAt: WallTime?
    /// The faults in the order in which they were planned.
    public var faults: [PlannedCloudFault]

    /// A plan with the given values.
    public init(
        revision: UInt64, seed: UInt64 = 0, day: CloudDay = CloudDay(), elapsed: Duration = .zero,
        faults: [PlannedCloudFault] = [], beganAt: WallTime? = nil
    ) {
        (self.revision, self.seed) = (revision, seed)
        self.day = CloudDay(speed: day.speed, start: day.start)
        (self.elapsed, self.faults, self.beganAt) = (elapsed, faults, beganAt)
    }

    /// The clock of Sensibo's API.
    public var clock: SimulatedClock { beganAt.map(day.clock(beganAt:)) ?? .real }

    /// Returns the real time for which a fault has been in force; nil while it is not.
    ///
    /// - Parameters:
    ///   - planned: A fault of the plan.
    ///   - time: The time since the plan was made.
    public func age(of planned: PlannedCloudFault, after time: Duration) -> Duration? {
        if let times = planned.fault.times, planned.met >= times { return nil }
        switch planned.span {
        case .injected(let age, let remaining): return time < remaining ? age + time : nil
        case .daily(let from, let to, let rest):
            guard time >= rest else { return nil }
            let passed = elapsed + time
            guard from != to else { return passed }
            let inside = secondsInto(from, after: passed)
            guard inside < Self.seconds(from: from, to: to) else { return nil }
            return min(passed, .seconds(inside / day.speed))
        }
    }

    /// Returns the remaining real time of a scenario's fault that is in force; nil for any other fault.
    func remaining(of planned: PlannedCloudFault, after time: Duration) -> Duration? {
        guard case .daily(let from, let to, _) = planned.span, from != to,
            age(of: planned, after: time) != nil
        else { return nil }
        let inside = secondsInto(from, after: elapsed + time)
        return .seconds((Self.seconds(from: from, to: to) - inside) / day.speed)
    }

    /// Returns the end of a current fault, in real time since the plan was made; nil for a fault without an
    /// end.
    public func end(of planned: PlannedCloudFault, after time: Duration = .zero) -> Duration? {
        switch planned.span {
        case .injected(_, let remaining): remaining
        case .daily: remaining(of: planned, after: time).map { time + $0 }
        }
    }

    /// Returns the simulated seconds since a second of the day last occurred.
    private func secondsInto(_ second: UInt32, after passed: Duration) -> Double {
        let day = Double(CloudDay.seconds)
        let passed = Double(passed.wholeMilliseconds) / 1_000 * self.day.speed
        let inside = (Double(self.day.start) + passed - Double(second)).truncatingRemainder(dividingBy: day)
        return inside < 0 ? inside + day : inside
    }

    private static func seconds(from: UInt32, to: UInt32) -> Double {
        Double(to > from ? to - from : to + CloudDay.seconds - from)
    }
}

/// A fault of the cloud with its time span, relative to the time at which its plan was made.
public struct PlannedCloudFault: Hashable, Sendable {
    /// The span of time in which the fault is in force.
    public enum Span: Hashable, Sendable {
        /// An injected fault with its age and its remaining time.
        case injected(age: Duration, remaining: Duration)
        /// A scenario's fault between two seconds of each day, or all day if they are equal; inactive for
        /// `rest` after the plan was made, because an operator healed it.
        ///
        /// After an operator heals it, it stays inactive for `rest`.
        case daily(from: UInt32, to: UInt32, rest: Duration)
    }

    /// The number of the fault, unique within one run of the supervisor.
    public var number: UInt64
    /// The fault.
    public var fault: CloudFault
    /// The span of time in which the fault is in force.
    public var span: Span
    /// The number of requests that the fault has affected.
    public var met: UInt64

    /// A fault with the given values.
    public init(number: UInt64, fault: CloudFault, span: Span, met: UInt64 = 0) {
        (self.number, self.fault, self.span, self.met) = (number, fault, span, met)
    }
}

extension CloudReport {
    /// The longest time that a supervisor delays the reply to a report while nothing changes.
    public static let longestHold: Duration = .seconds(10)
}

/// The daily plan of cloud faults in a scenario.
public struct CloudDay: Hashable, Sendable {
    /// Seconds in a day.
    public static let seconds: UInt32 = 86_400
    /// The allowed speeds of the simulated clock.
    public static let speeds = 0.1...10_000.0

    /// Simulated seconds in a real one.
    public var speed: Double
    /// The second of the day at which the simulation begins.
    public var start: UInt32
    /// The faults of the day, each with the time of day at which it is in force.
    public var parts: [Part]

    /// Creates a day; by default it has no faults.
    public init(speed: Double = 1, start: UInt32 = 43_200, parts: [Part] = []) {
        (self.speed, self.start, self.parts) = (speed, start, parts)
    }

    /// Returns the clock of days that began at a real time.
    ///
    /// A scenario that does not set its clock has the usual speed and start, and shows the real time.
    public func clock(beganAt: WallTime) -> SimulatedClock {
        let usual = CloudDay()
        guard speed != usual.speed || start != usual.start else { return .real }
        return SimulatedClock(beganAt: beganAt, second: start, speed: speed)
    }
}

extension CloudDay.Part {
    /// Whether the fault is in force all day.
    public var isAllDay: Bool { from == to }
}
