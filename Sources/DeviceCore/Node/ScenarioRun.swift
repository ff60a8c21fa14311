import FleetProtocol

/// A node's run of its scenario: which events happen, at which times and to which devices. Events do not
/// depend on commands, because the effects of commands draw from a random stream of their own.
struct ScenarioRun: Sendable {
    /// Separates the random stream of commands' effects from the events'.
    private static let commandPurpose: UInt64 = 0x7369_676e

    private(set) var scenario: Scenario
    /// The number of the scenario; events planned by an earlier one are obsolete.
    private(set) var number = 0
    private var beganAt: MonotonicTime
    /// The clock by which users set schedules.
    private(set) var clock: SimulatedClock
    private(set) var startOfDay: Scenario.TimeOfDay
    private var events: SeededGenerator
    /// The random latency of replies and loss of infrared signals.
    private var commandEffects: SeededGenerator

    init(of configuration: NodeConfiguration, at now: Moment) {
        scenario = configuration.scenario
        beganAt = now.monotonic
        (clock, startOfDay) = scenario.clocks(since: configuration.dayBeganAt, at: now.wall)
        events = SeededGenerator.derived(seed: configuration.seed, purpose: configuration.firstIndex)
        commandEffects = SeededGenerator.derived(
            seed: configuration.seed ^ Self.commandPurpose, purpose: configuration.firstIndex)
    }

    /// Switches to another scenario, whose first day began at a time; returns false if it has another
    /// population. The population stays, because the names and places of a fleet follow from one population.
    mutating func begin(_ other: Scenario, dayBeganAt: WallTime?, at now: Moment) -> Bool {
        let population = scenario.population
        scenario = other
        scenario.population = population
        beganAt = now.monotonic
        (clock, startOfDay) = scenario.clocks(since: dayBeganAt, at: now.wall)
        number += 1
        return other.population == population
    }
}

extension ScenarioRun {
    /// The speed of the simulated clock, simulated seconds a second.
    var speed: Double { scenario.clock.speed }

    func simulatedMs(at now: MonotonicTime) -> Int64 {
        Int64(Double(beganAt.duration(to: now).wholeNanoseconds) * speed / 1e6)
    }

    /// The time at which the simulated clock shows a number of milliseconds since the run began.
    func time(atSimulatedMs simulatedMs: Int64) -> MonotonicTime {
        let wait = Double(simulatedMs) * 1e6 / speed
        return beganAt.advanced(by: .nanoseconds(Int64(wait.rounded(.up))))
    }

    /// The time a duration of the simulated clock after another time.
    func time(_ duration: Duration, after time: MonotonicTime) -> MonotonicTime {
        time.advanced(by: .nanoseconds(Int64(scenario.realSeconds(duration) * 1e9)))
    }

    private func timeOfDay(at now: MonotonicTime) -> Scenario.TimeOfDay {
        startOfDay.advanced(bySeconds: Double(beganAt.duration(to: now).wholeMicroseconds) / 1e6 * speed)
    }
}

extension Scenario {
    /// The longest time since a first day began; of a longer one, the beginning is wrong.
    private static let longestRun: Duration = .seconds(366 * 86_400)

    /// The clock for schedules of a first day that began at a time, and the time of day now. Without a time,
    /// and at one that cannot be right, the day begins now.
    fileprivate func clocks(
        since beganAt: WallTime?, at now: WallTime
    ) -> (clock: SimulatedClock, timeOfDay: TimeOfDay) {
        let run = beganAt?.duration(to: now) ?? .zero
        let dayBeganAt = run > .zero - Self.longestRun && run < Self.longestRun ? beganAt ?? now : now
        let passed = Double(dayBeganAt.duration(to: now).wholeMilliseconds) / 1_000
        return (cloudDay.clock(beganAt: dayBeganAt), clock.timeOfDay(afterRealSeconds: passed))
    }
}

extension ScenarioRun {
    mutating func startsOn() -> Bool { Bool.random(using: &events) }

    /// Draws the time of the next event of a kind, from all devices' joint Poisson process at the day's peak
    /// rate; nil if the event never happens. ``happens(_:at:)`` thins it to the rate of the time of day.
    mutating func nextTime(
        of event: ScenarioEvent, among devices: Int, after now: MonotonicTime
    ) -> MonotonicTime? {
        let peak = scenario.rate(of: event).peakPerHour
        let sources = event.isOfNode ? 1 : Double(devices)
        guard peak > 0, sources > 0 else { return nil }
        return now.advanced(by: events.waitingTime(perSecond: scenario.perSecond(peak) * sources))
    }

    /// Draws whether an event of the peak rate happens at the rate of the time of day.
    mutating func happens(_ event: ScenarioEvent, at due: MonotonicTime) -> Bool {
        let rate = scenario.rate(of: event)
        return rate.isConstant
            || Double.random(in: 0..<rate.peakPerHour, using: &events) < rate.perHour(at: timeOfDay(at: due))
    }

    mutating func slot(among devices: Int) -> Int { Int.random(in: 0..<devices, using: &events) }

    mutating func occurs(_ probability: Double) -> Bool {
        Double.random(in: 0..<1, using: &events) < probability
    }

    mutating func connectivity(after state: Connectivity) -> Connectivity { state.next(using: &events) }

    /// Draws the time at which a disconnected device leaves a state of its connection.
    mutating func endOfDwell(from now: MonotonicTime) -> MonotonicTime {
        now.advanced(by: events.waitingTime(perSecond: 1 / scenario.dwellSeconds))
    }

    func nextHerd(after now: MonotonicTime) -> MonotonicTime? {
        guard let herd = scenario.herd else { return nil }
        // The clock has a resolution of a second, so the search starts a second later to skip a herd just
        // gone.
        let soon = timeOfDay(at: now).advanced(bySeconds: 1)
        return time(.seconds(1 + herd.secondsUntilNext(after: soon)), after: now)
    }
}

extension ScenarioRun {
    mutating func replyLatency() -> Duration { scenario.answer.drawn(using: &commandEffects) }

    var losesSignals: Bool { scenario.infrared.loss > 0 }

    /// Draws whether an infrared signal is lost; draws nothing if none can be.
    mutating func isSignalLost() -> Bool {
        losesSignals && Double.random(in: 0..<1, using: &commandEffects) < scenario.infrared.loss
    }
}
