import FleetProtocol
import Stepping

/// Rooms get warm and cold, pods measure, and Climate React does what it is set to.
extension Node {
    /// Pods that measure in one step at most, so that a million of them never stall the loop.
    private static let podsPerStep = 2_048
    /// How long at least between two such steps.
    private static let measuringPause = Duration.milliseconds(20)

    /// Lets every pod measure whose turn it is.
    mutating func measure(at now: Moment, into effects: inout [Effect]) {
        let nowMs = simulatedMs(at: now.monotonic)
        var measured: [MeasuredDevice] = []
        for _ in 0..<Self.podsPerStep {
            guard let slot = rooms.slotDue(atMs: nowMs) else { break }
            let sensed = rooms.measureNext(atMs: nowMs, actualState(of: slot))
            guard devices[slot].connectivity == .established else { continue }
            let measurements = sensed.calibrated(by: settings[slot]?.calibration)
            measured.append(MeasuredDevice(device: ids[slot], measurements: measurements))
            react(to: measurements, at: slot, into: &effects)
        }
        if !measured.isEmpty { effects.append(.measured(measured)) }
        scheduleMeasuring(after: now.monotonic)
    }

    /// The next step is when the next pod's turn has come, and not too soon after the last.
    mutating func scheduleMeasuring(after now: MonotonicTime) {
        guard !rooms.round.isEmpty else { return }
        let wait = Double(rooms.round.dueMs) * 1e6 / configuration.scenario.clock.speed
        let due = scenarioBeganAt.advanced(by: .nanoseconds(Int64(wait.rounded(.up))))
        timers.set(.measure(scenario: scenarioNumber), at: max(due, now.advanced(by: Self.measuringPause)))
    }

    /// Climate React sets an air conditioner whose room has become too warm or too cold.
    ///
    /// It acts when a threshold is crossed: whoever switches it off after that is left in peace. What is
    /// crossed while its device has no connection is crossed for it when the device is back, and another
    /// scenario alone crosses nothing.
    private mutating func react(to measurements: Measurements, at slot: Int, into effects: inout [Effect]) {
        guard let reaction = reaction(to: measurements, at: slot) else { return }
        let state = devices[slot].memory.state
        guard capabilities[group(of: slot)].objection(to: reaction, of: state) == nil else { return }
        set(slot, to: state.applying(reaction), by: .climateReact, into: &effects)
    }

    /// Simulated milliseconds since the scenario began.
    private func simulatedMs(at now: MonotonicTime) -> Int64 {
        let elapsed = scenarioBeganAt.duration(to: now)
        return Int64(Double(elapsed.wholeNanoseconds) * configuration.scenario.clock.speed / 1e6)
    }

    /// What Climate React wants set: that of the device's user, and else that of its group.
    private mutating func reaction(to measurements: Measurements, at slot: Int) -> ACStateChange? {
        if settings[slot]?.climateReact != nil {
            reactions.forget(slot)
            return settings.reaction(of: slot, to: measurements)
        }
        return reactions.reaction(of: slot, in: group(of: slot), to: measurements)
    }
}
