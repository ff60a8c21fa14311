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
            guard slot < hosted, devices[slot].connectivity == .established else { continue }
            let reading = sensed.calibrated(by: settings[slot]?.calibration)
            measured.append(MeasuredDevice(device: ids[slot], measurements: reading.measurements))
            react(to: reading, into: &effects)
        }
        if !measured.isEmpty { effects.append(.measured(measured)) }
        scheduleMeasuring(after: now.monotonic)
    }

    /// The next step is when the next pod's turn has come, and not too soon after the last.
    mutating func scheduleMeasuring(after now: MonotonicTime) {
        let wait = Double(rooms.round.dueMs) * 1e6 / configuration.scenario.clock.speed
        let due = scenarioBeganAt.advanced(by: .nanoseconds(Int64(wait.rounded(.up))))
        timers.set(.measure(scenario: scenarioNumber), at: max(due, now.advanced(by: Self.measuringPause)))
    }

    /// Climate React sets an air conditioner whose room has become too warm or too cold.
    ///
    /// It acts when a threshold is crossed: whoever switches it off after that is left in peace.
    private mutating func react(to reading: Rooms.Reading, into effects: inout [Effect]) {
        guard let reaction = reaction(to: reading) else { return }
        let state = devices[reading.slot].memory.state
        guard capabilities[group(of: reading.slot)].objection(to: reaction, of: state) == nil else { return }
        set(reading.slot, to: state.applying(reaction), by: .climateReact, into: &effects)
    }

    /// Simulated milliseconds since the scenario began.
    private func simulatedMs(at now: MonotonicTime) -> Int64 {
        let elapsed = scenarioBeganAt.duration(to: now)
        return Int64(Double(elapsed.wholeNanoseconds) * configuration.scenario.clock.speed / 1e6)
    }

    /// What Climate React wants set: that of the device's user, and else that of its group.
    private mutating func reaction(to reading: Rooms.Reading) -> ACStateChange? {
        if settings[reading.slot]?.climateReact != nil {
            return settings.reaction(of: reading.slot, to: reading.measurements)
        }
        guard hasReactions else { return nil }
        let group = configuration.scenario.population.groups[group(of: reading.slot)]
        return group.climateReact?.change(to: reading)
    }
}

extension Scenario.Group.ClimateReact {
    /// What to set when a measurement is the first beyond a threshold: heating or cooling towards the middle
    /// of the range; nil when it is not.
    func change(to reading: Rooms.Reading) -> ACStateChange? {
        func changed(to mode: ACMode) -> ACStateChange {
            let middle = Int8(((lowCelsius + highCelsius) / 2).rounded())
            return ACStateChange(
                isOn: true, mode: mode, targetTemperature: middle, temperatureUnit: .celsius)
        }
        let earlier = reading.earlierCelsius
        if reading.celsius > highCelsius, earlier.map({ $0 <= highCelsius }) ?? true {
            return changed(to: .cool)
        }
        if reading.celsius < lowCelsius, earlier.map({ $0 >= lowCelsius }) ?? true {
            return changed(to: .heat)
        }
        return nil
    }
}
