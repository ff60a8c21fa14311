import FleetProtocol
import Stepping

/// What happens to devices by a scenario: people, Wi-Fi, hangs and reboots, herds.
extension Node {
    /// Slots that one step looks at when a herd goes, of whom few may go, so that a million devices never
    /// stall the loop.
    private static let slotsPerHerd = 16_384

    mutating func scheduleScenario(at now: MonotonicTime) {
        for happening in Happening.allCases { scheduleNext(happening, after: now) }
        scheduleHerd(at: now)
    }

    /// Goes on with another scenario, whose day begins now.
    ///
    /// What the earlier one had planned does not happen any more, and what is under way runs out: faults,
    /// and devices that look for their Wi-Fi. Its devices the node keeps, for names and places of a fleet
    /// follow from one population.
    ///
    /// - Parameter scenario: Nil for one that cannot be read; then all stays as it is.
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

    /// The devices' own events, added up over the node, are one stream of their joined rate: of the highest
    /// of the day, of which ``happens(_:at:into:)`` lets through as much as the time of day allows.
    private mutating func scheduleNext(_ happening: Happening, after now: MonotonicTime) {
        let peak = configuration.scenario.rate(of: happening).peakPerHour
        guard peak > 0 else { return }
        let sources = happening.isOfNode ? 1 : Double(hosted)
        guard sources > 0 else { return }
        let wait = generator.waitingTime(perSecond: configuration.scenario.perSecond(peak) * sources)
        timers.set(.happens(happening, scenario: scenarioNumber), at: now.advanced(by: wait))
    }

    /// Something happens somewhere, and the next of its kind follows on the moment at which this was due:
    /// many may be due in one turn.
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

    /// A device starts again: it is away for a while, and may have forgotten everything.
    private mutating func reboot(_ slot: Int, at due: MonotonicTime, into effects: inout [Effect]) {
        let reboots = configuration.scenario.reboots
        let end = due.advanced(byScenario: reboots.lasting, in: self)
        beginFault(.reboot, of: slot, until: end, into: &effects)
        if Double.random(in: 0..<1, using: &generator) < reboots.memoryLoss { reset(slot, into: &effects) }
    }

    /// What time of the simulated day it is.
    private func timeOfDay(at now: MonotonicTime) -> Scenario.TimeOfDay {
        let seconds = Double(scenarioBeganAt.duration(to: now).wholeMicroseconds) / 1e6
        return configuration.scenario.clock.timeOfDay(afterRealSeconds: seconds)
    }

    private mutating func scheduleHerd(at now: MonotonicTime) {
        guard let herd = configuration.scenario.herd else { return }
        // A second later, for the clock is read to the second: a herd that has just gone does not go again.
        let soon = timeOfDay(at: now).advanced(bySeconds: 1)
        let wait = Duration.seconds(1 + herd.secondsUntilNext(after: soon))
        timers.set(
            .herdGoes(from: 0, until: nil, scenario: scenarioNumber),
            at: now.advanced(byScenario: wait, in: self))
    }

    /// Some of a herd lose their connections; the next step does more, at the same moment for all that
    /// follows from it.
    ///
    /// - Parameter left: How many the step may change yet.
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

    /// A device without a connection tries again, unless it has one meanwhile.
    mutating func reconnect(_ slot: Int, at due: MonotonicTime, into effects: inout [Effect]) {
        guard devices[slot].connectivity != .established else { return }
        changeConnectivity(of: slot, at: due, into: &effects)
    }

    /// Lets a device's connection go on to its next state, and on from there until it is established again.
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
    /// This moment and a duration of a node's simulated clock later.
    fileprivate func advanced(byScenario duration: Duration, in node: Node) -> MonotonicTime {
        advanced(by: .nanoseconds(Int64(node.configuration.scenario.realSeconds(duration) * 1e9)))
    }
}

/// What is due, and how much of it is done in one step.
extension Node {
    /// Things that one step does at most because they were due, of which each changes a device or so: what a
    /// million devices do at one moment takes many steps, and commands and signs of life come in between.
    static let eventsPerStep = 1_024

    /// What was due longer ago, while the process was frozen, has not happened.
    private static let longestCatchingUp: Duration = .milliseconds(100)

    /// When the next turn is wanted: at once, where the last has left something.
    var soonestDue: MonotonicTime { min(pingDue, timers.nextDue ?? .never) }

    /// Does what is due, earliest first, up to a bound; the next turn does the rest.
    mutating func turn(at now: Moment, into effects: inout [Effect]) {
        if pingDue <= now.monotonic {
            greetedEpoch == nil ? greet(into: &effects) : send(.ping(), into: &effects)
            pingDue = now.monotonic.advanced(by: Limits.beatInterval)
        }
        var left = Self.eventsPerStep
        while left > 0, let (event, due) = timers.popEarliest(until: now.monotonic) {
            // Measuring has a bound and a pause of its own.
            if case .measure = event {} else { left -= 1 }
            carryOut(event, due: due, at: now, left: &left, into: &effects)
        }
    }

    /// - Parameter left: How much this step may do yet.
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
        // Of another scenario, or of devices that have retired.
        case .measure, .happens, .herdGoes, .reconnect, .faultEnds, .heldDue, .deedDue: break
        case .heals(let first, let healed, let order):
            healNext(from: first, after: healed, for: order, at: now, left: &left, into: &effects)
        }
    }

    /// The moment at which something happens that was due then: what follows from it does not depend on when
    /// somebody got round to it.
    private func caughtUp(_ due: MonotonicTime, at now: Moment) -> MonotonicTime {
        max(due, now.monotonic.advanced(by: .zero - Self.longestCatchingUp))
    }
}
