import FleetProtocol

extension Node {
    /// The slots that one step of a herd scans: few devices may belong to it, and a million must not stall
    /// the loop.
    private static let slotsPerHerd = 16_384

    mutating func scheduleScenario(at now: MonotonicTime) {
        for event in ScenarioEvent.allCases { scheduleNext(event, after: now) }
        scheduleHerd(at: now)
    }

    /// Switches to another scenario, whose first day began at a time; the current one continues without it.
    ///
    /// Scheduled events of the previous scenario are discarded. Active faults and reconnection attempts run
    /// to their end. The node keeps its population, because the names and places of a fleet follow from one
    /// population.
    mutating func begin(
        _ scenario: Scenario?, dayBeganAt: WallTime?, for order: OrderID, at now: Moment,
        into effects: inout [Effect]
    ) {
        guard let scenario else { return send(.done(order, devices: 0, .unreadable), into: &effects) }
        let isSamePopulation = run.begin(scenario, dayBeganAt: dayBeganAt, at: now)
        rooms.begin(run.scenario, from: run.startOfDay)
        followClock(at: now, into: &effects)
        scheduleMeasuring(after: now.monotonic)
        scheduleScenario(at: now.monotonic)
        let remark = isSamePopulation ? nil : OrderRemark.populationUnchanged
        send(.done(order, devices: UInt32(devices.shownCount), remark), into: &effects)
    }

    private mutating func scheduleNext(_ event: ScenarioEvent, after now: MonotonicTime) {
        guard let next = run.nextTime(of: event, among: devices.count, after: now) else { return }
        timers.set(.happens(event, scenario: run.number), at: next)
    }

    /// Applies an event to a random device, and schedules the next from this one's due time: several may be
    /// due in one turn.
    private mutating func happens(
        _ event: ScenarioEvent, at due: MonotonicTime, into effects: inout [Effect]
    ) {
        scheduleNext(event, after: due)
        guard run.happens(event, at: due) else { return }
        guard !event.isOfNode else { return effects.append(.crash) }
        guard devices.count > 0 else { return }
        let slot = run.slot(among: devices.count)
        switch event {
        case .handRemote: useHandRemote(of: slot, into: &effects)
        case .switching: useApp(of: slot, into: &effects)
        case .drop:
            guard devices.isConnected(slot) else { return }
            changeConnectivity(of: slot, at: due, into: &effects)
        case .hang:
            let end = run.time(run.scenario.hangs.lasting, after: due)
            beginFault(.hang, of: slot, until: end, into: &effects)
        case .reboot: reboot(slot, at: due, into: &effects)
        case .crash: break
        }
    }

    /// Reboots a device: disconnects it for a while, and resets it with the probability of memory loss.
    private mutating func reboot(_ slot: Int, at due: MonotonicTime, into effects: inout [Effect]) {
        let reboots = run.scenario.reboots
        let end = run.time(reboots.lasting, after: due)
        beginFault(.reboot, of: slot, until: end, into: &effects)
        if run.occurs(reboots.memoryLoss) { reset(slot, into: &effects) }
    }

    private mutating func scheduleHerd(at now: MonotonicTime) {
        guard let next = run.nextHerd(after: now) else { return }
        timers.set(.herdGoes(from: 0, until: nil, scenario: run.number), at: next)
    }

    /// Disconnects devices of a herd in a range of slots; the next step continues with the same due time.
    private mutating func herdGoes(
        from first: Int, until planned: MonotonicTime?, at due: MonotonicTime, left: inout Int,
        into effects: inout [Effect]
    ) {
        guard let herd = run.scenario.herd else { return }
        let end = planned ?? run.time(herd.lasting, after: due)
        let last = min(devices.count, first + Self.slotsPerHerd)
        var slot = first
        while slot < last, left > 0 {
            if run.occurs(herd.part) {
                beginFault(.offline, of: slot, until: end, into: &effects)
                left -= 1
            }
            slot += 1
        }
        guard slot >= devices.count else {
            left = 0
            return timers.set(.herdGoes(from: slot, until: end, scenario: run.number), at: due)
        }
        scheduleHerd(at: due)
    }

    /// Attempts to reconnect a device, unless it is connected already.
    private mutating func reconnect(_ slot: Int, at due: MonotonicTime, into effects: inout [Effect]) {
        guard !devices.isConnected(slot) else { return }
        changeConnectivity(of: slot, at: due, into: &effects)
    }

    /// Moves a device's connection to a random next state, and schedules further moves until it is
    /// established.
    private mutating func changeConnectivity(
        of slot: Int, at due: MonotonicTime, into effects: inout [Effect]
    ) {
        guard !faults.isForcedOffline(slot) else { return }
        let next = run.connectivity(after: devices[slot].connectivity)
        setConnectivity(next, of: slot, into: &effects)
        guard next != .established else { return }
        timers.set(.reconnect(slot: slot), at: run.endOfDwell(from: due))
    }
}

extension Node {
    /// The due events that one step processes at most; each changes about one device. Simultaneous events of
    /// a million devices take many steps, with commands and heartbeats in between.
    static let eventsPerStep = 1_024

    /// The maximum age of an event's effective time: after a freeze, overdue events take effect that long
    /// ago.
    private static let longestCatchingUp: Duration = .milliseconds(100)

    /// Processes due events, earliest first, up to a bound; the next turn continues.
    mutating func turn(at now: Moment, into effects: inout [Effect]) {
        sendHeartbeat(at: now, into: &effects)
        var left = Self.eventsPerStep
        while left > 0, let (event, due) = timers.popEarliest(until: now.monotonic) {
            // Measuring has its own bound and pause.
            if case .measure = event {} else { left -= 1 }
            carryOut(event, due: due, at: now, left: &left, into: &effects)
        }
    }

    private mutating func carryOut(
        _ event: Event, due: MonotonicTime, at now: Moment, left: inout Int, into effects: inout [Effect]
    ) {
        switch event {
        case .happens(let event, scenario: run.number):
            happens(event, at: caughtUp(due, at: now), into: &effects)
        case .herdGoes(let first, let end, scenario: run.number):
            herdGoes(from: first, until: end, at: caughtUp(due, at: now), left: &left, into: &effects)
        case .measure(scenario: run.number): measure(at: now, into: &effects)
        case .reconnect(let slot) where slot < devices.count:
            reconnect(slot, at: caughtUp(due, at: now), into: &effects)
        case .faultEnds(let slot, let fault) where slot < devices.count:
            endFault(fault, of: slot, at: now, into: &effects)
        case .heldDue(let slot) where slot < devices.count: judgeHeld(slot, at: now, into: &effects)
        case .actionDue(let slot, let due) where slot < devices.count:
            actionDue(slot, due, at: now, into: &effects)
        case .restored: followClock(at: now, into: &effects)
        // Events of a previous scenario or of retired devices.
        case .measure, .happens, .herdGoes, .reconnect, .faultEnds, .heldDue, .actionDue: break
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
