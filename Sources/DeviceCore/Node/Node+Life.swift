import FleetProtocol
import FleetTime

/// The events of a scenario: people, Wi-Fi drops, hangs, reboots and herds.
extension Node {
    /// The slots that one step of a herd scans: few devices may belong to it, and a million must not stall
    /// the loop.
    private static let slotsPerHerd = 16_384

    mutating func scheduleScenario(at now: MonotonicTime) {
        for happening in Happening.allCases { scheduleNext(happening, after: now) }
        scheduleHerd(at: now)
    }

    /// Switches to another scenario, whose day begins now.
    ///
    /// Scheduled events of the previous scenario are discarded. Active faults and reconnection attempts run
    /// to their end. The node keeps its population, because the names and places of a fleet follow from one
    /// population.
    ///
    /// - Parameter scenario: Nil if the scenario cannot be read; the current one then continues.
    mutating func take(
        _ scenario: Scenario?, for order: OrderID, at now: Moment, into effects: inout [Effect]
    ) {
        guard var scenario else { return send(.done(order, devices: 0, .unreadable), into: &effects) }
        let population = configuration.scenario.population
        let isOther = scenario.population != population
        scenario.population = population
        configuration.scenario = scenario
        scenarioBeganAt = now.monotonic
        scenarioNumber += 1
        rooms.begin(scenario)
        repaceFilters(into: &effects)
        scheduleMeasuring(after: now.monotonic)
        scheduleScenario(at: now.monotonic)
        let remark = isOther ? OrderRemark.populationKept : nil
        send(.done(order, devices: UInt32(hosted), remark), into: &effects)
    }

    /// Schedules the next event of a kind, from all devices' joint Poisson process at the day's peak rate;
    /// ``happens(_:at:into:)`` thins it to the rate of the time of day.
    private mutating func scheduleNext(_ happening: Happening, after now: MonotonicTime) {
        let peak = configuration.scenario.rate(of: happening).peakPerHour
        guard peak > 0 else { return }
        let sources = happening.isOfNode ? 1 : Double(hosted)
        guard sources > 0 else { return }
        let wait = generator.waitingTime(perSecond: configuration.scenario.perSecond(peak) * sources)
        timers.set(.happens(happening, scenario: scenarioNumber), at: now.advanced(by: wait))
    }

    /// Applies an event to a random device, and schedules the next from this one's due time: several may be
    /// due in one turn.
    mutating func happens(_ happening: Happening, at due: MonotonicTime, into effects: inout [Effect]) {
        scheduleNext(happening, after: due)
        let rate = configuration.scenario.rate(of: happening)
        if !rate.isConstant {
            let chance = Double.random(in: 0..<rate.peakPerHour, using: &generator)
            guard chance < rate.perHour(at: timeOfDay(at: due)) else { return }
        }
        guard !happening.isOfNode else { return effects.append(.crash) }
        guard hosted > 0 else { return }
        let slot = Int.random(in: 0..<hosted, using: &generator)
        switch happening {
        case .handRemote: useHandRemote(of: slot, into: &effects)
        case .switching: useApp(of: slot, into: &effects)
        case .drop:
            guard devices[slot].connectivity == .established else { return }
            changeConnectivity(of: slot, at: due, into: &effects)
        case .hang:
            let end = due.advanced(byScenario: configuration.scenario.hangs.lasting, in: self)
            beginFault(.hang, of: slot, until: end, into: &effects)
        case .reboot: reboot(slot, at: due, into: &effects)
        case .crash: break
        }
    }

    /// Reboots a device: disconnects it for a while, and resets it with the probability of memory loss.
    private mutating func reboot(_ slot: Int, at due: MonotonicTime, into effects: inout [Effect]) {
        let reboots = configuration.scenario.reboots
        let end = due.advanced(byScenario: reboots.lasting, in: self)
        beginFault(.reboot, of: slot, until: end, into: &effects)
        if Double.random(in: 0..<1, using: &generator) < reboots.memoryLoss { reset(slot, into: &effects) }
    }

    /// The simulated time of day.
    private func timeOfDay(at now: MonotonicTime) -> Scenario.TimeOfDay {
        let seconds = Double(scenarioBeganAt.duration(to: now).wholeMicroseconds) / 1e6
        return configuration.scenario.clock.timeOfDay(afterRealSeconds: seconds)
    }

    private mutating func scheduleHerd(at now: MonotonicTime) {
        guard let herd = configuration.scenario.herd else { return }
        // The clock has a resolution of a second, so the search starts a second later to skip a herd just
        // gone.
        let soon = timeOfDay(at: now).advanced(bySeconds: 1)
        let wait = Duration.seconds(1 + herd.secondsUntilNext(after: soon))
        timers.set(
            .herdGoes(from: 0, until: nil, scenario: scenarioNumber),
            at: now.advanced(byScenario: wait, in: self))
    }

    /// Disconnects devices of a herd in a range of slots; the next step continues with the same due time.
    ///
    /// - Parameter left: The number of devices that this step may still disconnect.
    mutating func herdGoes(
        from first: Int, until planned: MonotonicTime?, at due: MonotonicTime, left: inout Int,
        into effects: inout [Effect]
    ) {
        guard let herd = configuration.scenario.herd else { return }
        let end = planned ?? due.advanced(byScenario: herd.away, in: self)
        let last = min(hosted, first + Self.slotsPerHerd)
        var slot = first
        while slot < last, left > 0 {
            if Double.random(in: 0..<1, using: &generator) < herd.part {
                beginFault(.offline, of: slot, until: end, into: &effects)
                left -= 1
            }
            slot += 1
        }
        guard slot >= hosted else {
            left = 0
            return timers.set(.herdGoes(from: slot, until: end, scenario: scenarioNumber), at: due)
        }
        scheduleHerd(at: due)
    }

    /// Attempts to reconnect a device, unless it is connected already.
    mutating func reconnect(_ slot: Int, at due: MonotonicTime, into effects: inout [Effect]) {
        guard devices[slot].connectivity != .established else { return }
        changeConnectivity(of: slot, at: due, into: &effects)
    }

    /// Moves a device's connection to a random next state, and schedules further moves until it is
    /// established.
    private mutating func changeConnectivity(
        of slot: Int, at due: MonotonicTime, into effects: inout [Effect]
    ) {
        guard !faults.isForcedOffline(slot) else { return }
        let next = devices[slot].connectivity.next(using: &generator)
        setConnectivity(next, of: slot, into: &effects)
        guard next != .established else { return }
        let dwell = generator.waitingTime(perSecond: 1 / configuration.scenario.dwellSeconds)
        timers.set(.reconnect(slot: slot), at: due.advanced(by: dwell))
    }
}

extension MonotonicTime {
    /// Returns this time plus a duration of the node's simulated clock.
    fileprivate func advanced(byScenario duration: Duration, in node: Node) -> MonotonicTime {
        advanced(by: .nanoseconds(Int64(node.configuration.scenario.realSeconds(duration) * 1e9)))
    }
}

/// The processing of due events, in bounded steps.
extension Node {
    /// The due events that one step processes at most; each changes about one device.
    ///
    /// Simultaneous events of a million devices take many steps, with commands and heartbeats in between.
    static let eventsPerStep = 1_024

    /// The maximum age of an event's effective time: after a freeze, overdue events take effect that long
    /// ago.
    private static let longestCatchingUp: Duration = .milliseconds(100)

    /// The time of the next turn; in the past if the last turn left due events.
    var soonestDue: MonotonicTime { min(pingDue, timers.nextDue ?? .never) }

    /// Processes due events, earliest first, up to a bound; the next turn continues.
    mutating func turn(at now: Moment, into effects: inout [Effect]) {
        if pingDue <= now.monotonic {
            greetedEpoch == nil ? greet(into: &effects) : send(.ping(), into: &effects)
            pingDue = now.monotonic.advanced(by: Limits.beatInterval)
        }
        var left = Self.eventsPerStep
        while left > 0, let (event, due) = timers.popEarliest(until: now.monotonic) {
            // Measuring has its own bound and pause.
            if case .measure = event {} else { left -= 1 }
            carryOut(event, due: due, at: now, left: &left, into: &effects)
        }
    }

    /// - Parameter left: The number of events that this step may still process.
    private mutating func carryOut(
        _ event: Event, due: MonotonicTime, at now: Moment, left: inout Int, into effects: inout [Effect]
    ) {
        switch event {
        case .happens(let happening, scenario: scenarioNumber):
            happens(happening, at: caughtUp(due, at: now), into: &effects)
        case .herdGoes(let first, let end, scenario: scenarioNumber):
            herdGoes(from: first, until: end, at: caughtUp(due, at: now), left: &left, into: &effects)
        case .measure(scenario: scenarioNumber): measure(at: now, into: &effects)
        case .reconnect(let slot) where slot < hosted:
            reconnect(slot, at: caughtUp(due, at: now), into: &effects)
        case .faultEnds(let slot, let fault) where slot < hosted:
            endFault(fault, of: slot, at: now, into: &effects)
        case .heldDue(let slot) where slot < hosted: judgeHeld(slot, at: now, into: &effects)
        case .deedDue(let slot, let due) where slot < hosted: deedDue(slot, due, at: now, into: &effects)
        // Events of a previous scenario or of retired devices.
        case .measure, .happens, .herdGoes, .reconnect, .faultEnds, .heldDue, .deedDue: break
        case .heals(let first, let healed, let order):
            healNext(from: first, after: healed, for: order, at: now, left: &left, into: &effects)
        }
    }

    /// Returns the time at which an event counts as processed: its due time, so that later events do not
    /// depend on the loop's latency, but at most ``longestCatchingUp`` ago.
    private func caughtUp(_ due: MonotonicTime, at now: Moment) -> MonotonicTime {
        max(due, now.monotonic.advanced(by: .zero - Self.longestCatchingUp))
    }
}
