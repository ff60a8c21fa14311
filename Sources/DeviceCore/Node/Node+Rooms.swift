public import FleetProtocol
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

/// Between a pod and its air conditioner is infrared, which nobody acknowledges: the pod assumes what the air
/// conditioner is at, and the two drift apart where a signal is lost.
extension Node {
    /// What the air conditioner of a device really is at; its row says what the pod assumes.
    ///
    /// - Precondition: The slot is one of 0 to ``deviceCount``.
    public func actualState(of slot: Int) -> ACState {
        airConditioners.stray(of: slot) ?? devices[slot].memory.state
    }

    /// Sends the state that the pod now assumes, even if it assumed that state before; the signal may be
    /// lost.
    ///
    /// - Parameter isCorrection: Somebody has only told it what is, and it sends nothing.
    mutating func transmit(
        from before: ACState, of slot: Int, isCorrection: Bool = false, into effects: inout [Effect]
    ) {
        // As nearly always: who hears everything is at what it was told.
        if !isCorrection, airConditioners.areAsAssumed, configuration.scenario.infrared.loss == 0 { return }
        let actual = airConditioners.stray(of: slot) ?? before
        guard !isCorrection, !isSignalLost(of: slot) else { return note(actual, of: slot, into: &effects) }
        let signal = InfraredSignal(
            from: before, to: devices[slot].memory.state, by: remote(of: slot))
        note(signal.received(at: actual), of: slot, into: &effects)
    }

    /// Somebody switches the air conditioner with its hand remote; the pod may miss it.
    mutating func useHandRemote(of slot: Int, into effects: inout [Effect]) {
        let actual = actualState(of: slot)
        guard let wanted = switched(actual, at: slot) else { return }
        if !isSignalLost(of: slot) {
            let signal = InfraredSignal(from: actual, to: wanted, by: remote(of: slot))
            change(
                slot, to: signal.received(at: devices[slot].memory.state), by: .handRemote, into: &effects)
        }
        note(wanted, of: slot, into: &effects)
    }

    /// Somebody switches a device with the app, which needs a connection.
    mutating func useApp(of slot: Int, into effects: inout [Effect]) {
        guard devices[slot].connectivity == .established else { return }
        guard let wanted = switched(devices[slot].memory.state, at: slot) else { return }
        set(slot, to: wanted, by: .app, into: &effects)
    }

    /// A pod sets its air conditioner, and no command has asked for it.
    mutating func set(
        _ slot: Int, to wanted: ACState, by cause: ChangeCause, into effects: inout [Effect]
    ) {
        let before = devices[slot].memory.state
        change(slot, to: wanted, by: cause, into: &effects)
        transmit(from: before, of: slot, into: &effects)
    }

    /// A state that was switched on or off; nil where there is nothing to switch.
    private func switched(_ state: ACState, at slot: Int) -> ACState? {
        guard model(of: slot).switchesAnything else { return nil }
        var switched = state
        switched.isOn.toggle()
        return switched
    }

    /// A device changes without a command.
    private mutating func change(
        _ slot: Int, to state: ACState, by cause: ChangeCause, into effects: inout [Effect]
    ) {
        let before = devices[slot].memory.state
        guard devices[slot].change(to: state, by: cause) else { return }
        tellChange(of: slot, settings: settingsNoted(of: slot, from: before), into: &effects)
    }

    /// Keeps what an air conditioner is at after something happened to it or to its pod.
    mutating func note(_ actual: ACState, of slot: Int, into effects: inout [Effect]) {
        guard airConditioners.note(actual, of: slot, assumed: devices[slot].memory.state) else { return }
        remember(.airConditioner, of: slot, airConditioner: actual, into: &effects)
    }

    /// Whether a signal between a pod and its air conditioner, either way, does not arrive; what runs itself
    /// has none that could be lost.
    ///
    /// Chance is only asked where it decides, so that what else happens does not depend on it.
    private mutating func isSignalLost(of slot: Int) -> Bool {
        let loss = configuration.scenario.infrared.loss
        guard loss > 0, model(of: slot).switchesAirConditioner else { return false }
        return Double.random(in: 0..<1, using: &signalChance) < loss
    }
}
