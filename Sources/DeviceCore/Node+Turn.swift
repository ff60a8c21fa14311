import FleetProtocol
import Stepping

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
