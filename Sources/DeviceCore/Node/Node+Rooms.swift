package import FleetProtocol

extension Node {
    /// The pods that measure in one step at most, so that a million of them do not stall the loop.
    private static let podsPerStep = 2_048
    /// The shortest pause between two such steps.
    private static let measuringPause = Duration.milliseconds(20)

    /// Takes the measurements of all pods that are due, up to the bound of a step.
    mutating func measure(at now: Moment, into effects: inout [Effect]) {
        let nowMs = run.simulatedMs(at: now.monotonic)
        var measured: [MeasuredDevice] = []
        for _ in 0..<Self.podsPerStep {
            guard let slot = rooms.slotDue(atMs: nowMs) else { break }
            let sensed = rooms.measureNext(atMs: nowMs, actualState(of: slot))
            guard devices.isConnected(slot) else { continue }
            let measurements = sensed.calibrated(by: settings[slot]?.calibration)
            measured.append(MeasuredDevice(device: devices.ids[slot], measurements: measurements))
            react(to: measurements, at: slot, into: &effects)
        }
        if !measured.isEmpty { effects.append(.measured(measured)) }
        scheduleMeasuring(after: now.monotonic)
    }

    /// Gives the room of a device other air, as a door or a window would, which its pod measures at once. A
    /// value that is nil stays.
    package mutating func setAir(
        of device: DeviceID, celsius: Double?, humidityPercent: Double?, into effects: inout [Effect]
    ) {
        guard let slot = devices.hostedSlot(of: device) else { return }
        rooms.setAir(of: slot, celsius: celsius, humidityPercent: humidityPercent)
        guard devices.isConnected(slot) else { return }
        let measurements = measurements(ofSlot: slot)
        effects.append(.measured([MeasuredDevice(device: device, measurements: measurements)]))
        react(to: measurements, at: slot, into: &effects)
    }

    mutating func scheduleMeasuring(after now: MonotonicTime) {
        guard !rooms.round.isEmpty else { return }
        let due = run.time(atSimulatedMs: rooms.round.dueMs)
        timers.set(.measure(scenario: run.number), at: max(due, now.advanced(by: Self.measuringPause)))
    }

    /// Applies Climate React to a device whose room has become too warm or too cold.
    ///
    /// It acts only when the room crosses a threshold, so it does not override a user who switches the device
    /// off later. A disconnected device's crossing is detected after the device reconnects. A change of the
    /// scenario alone is not a crossing.
    private mutating func react(to measurements: Measurements, at slot: Int, into effects: inout [Effect]) {
        let group = population.groupIndex(of: slot)
        guard let reaction = settings.reaction(of: slot, in: group, to: measurements) else { return }
        let state = devices[slot].memory.state
        guard population.capabilities(of: slot).objection(to: reaction, of: state) == nil else { return }
        set(slot, to: state.applying(reaction), by: .climateReact, into: &effects)
    }
}

/// Infrared between a pod and its air conditioner. It is not acknowledged: the pod assumes the air
/// conditioner's state, and the two diverge when a signal is lost.
extension Node {
    /// The actual state of a device's air conditioner; the device's row holds the state that the pod assumes.
    func actualState(of slot: Int) -> ACState {
        airConditioners.stray(of: slot) ?? devices[slot].memory.state
    }

    /// Sends the state that the pod now assumes, even if it is unchanged; the signal may be lost. A
    /// correction of the assumed state sends no signal.
    mutating func transmit(
        from before: ACState, of slot: Int, isCorrection: Bool = false, into effects: inout [Effect]
    ) {
        // The common case: without losses, the air conditioner has the state that the pod assumes.
        if !isCorrection, airConditioners.areAsAssumed, !run.losesSignals { return }
        let actual = airConditioners.stray(of: slot) ?? before
        guard !isCorrection, !isSignalLost(of: slot) else { return record(actual, of: slot, into: &effects) }
        let signal = InfraredSignal(
            from: before, to: devices[slot].memory.state, by: population.group(of: slot).remote)
        record(signal.received(at: actual), of: slot, into: &effects)
    }

    /// Changes the air conditioner of a device as with its hand remote, or switches it on or off if no change
    /// is given. Returns why its remote cannot; nil if it can, and for a device that the node does not host.
    package mutating func useHandRemote(
        of device: DeviceID, _ change: ACStateChange?, into effects: inout [Effect]
    ) -> String? {
        guard let slot = devices.hostedSlot(of: device) else { return nil }
        let actual = actualState(of: slot)
        guard let change else {
            useHandRemote(of: slot, into: &effects)
            return nil
        }
        let objection = population.capabilities(of: slot).objection(to: change, of: actual)
        if objection == nil { useHandRemote(of: slot, to: actual.applying(change), into: &effects) }
        return objection
    }

    /// Switches the air conditioner on or off as with its hand remote; the pod may miss the signal.
    mutating func useHandRemote(of slot: Int, into effects: inout [Effect]) {
        guard let wanted = switched(actualState(of: slot), at: slot) else { return }
        useHandRemote(of: slot, to: wanted, into: &effects)
    }

    private mutating func useHandRemote(of slot: Int, to wanted: ACState, into effects: inout [Effect]) {
        let actual = actualState(of: slot)
        if !isSignalLost(of: slot) {
            let signal = InfraredSignal(from: actual, to: wanted, by: population.group(of: slot).remote)
            change(slot, to: signal.received(at: devices[slot].memory.state), by: .handRemote, into: &effects)
        }
        record(wanted, of: slot, into: &effects)
    }

    /// Switches a device on or off as with the app, which needs a connection.
    mutating func useApp(of slot: Int, into effects: inout [Effect]) {
        guard devices.isConnected(slot) else { return }
        guard let wanted = switched(devices[slot].memory.state, at: slot) else { return }
        set(slot, to: wanted, by: .app, into: &effects)
    }

    /// Sets a device without a command, and sends the new state to its air conditioner.
    private mutating func set(
        _ slot: Int, to wanted: ACState, by cause: ChangeCause, into effects: inout [Effect]
    ) {
        let before = devices[slot].memory.state
        change(slot, to: wanted, by: cause, into: &effects)
        transmit(from: before, of: slot, into: &effects)
    }

    /// Returns the state switched on or off; nil for a model that people do not switch.
    private func switched(_ state: ACState, at slot: Int) -> ACState? {
        guard population.model(of: slot).movesAir else { return nil }
        var switched = state
        switched.isOn.toggle()
        return switched
    }

    private mutating func change(
        _ slot: Int, to state: ACState, by cause: ChangeCause, into effects: inout [Effect]
    ) {
        let before = devices[slot].memory.state
        guard devices[slot].change(to: state, by: cause) else { return }
        publishChange(of: slot, settings: updateFilter(of: slot, from: before), into: &effects)
    }

    /// Stores the actual state of an air conditioner if it differs from the stored one, and writes it to
    /// memory.
    mutating func record(_ actual: ACState, of slot: Int, into effects: inout [Effect]) {
        guard airConditioners.record(actual, of: slot, assumed: devices[slot].memory.state) else { return }
        remember(.airConditioner, of: slot, airConditioner: actual, into: &effects)
    }

    /// Whether a signal between a pod and its air conditioner is lost, in either direction; never for a model
    /// that controls no air conditioner.
    private mutating func isSignalLost(of slot: Int) -> Bool {
        population.model(of: slot).switchesAirConditioner && run.isSignalLost()
    }
}

/// The actual states of air conditioners, in a side table: most have the state that their pods assume.
struct AirConditioners: Sendable {
    private var strays: [Int32: ACState] = [:]

    var areAsAssumed: Bool { strays.isEmpty }

    /// Returns the actual state of a slot's air conditioner if it differs from the assumed one, or else nil.
    func stray(of slot: Int) -> ACState? { strays.isEmpty ? nil : strays[Int32(slot)] }

    /// Records the actual state of a slot's air conditioner; returns whether ``stray(of:)`` has changed.
    mutating func record(_ actual: ACState, of slot: Int, assumed: ACState) -> Bool {
        let stray = actual == assumed ? nil : actual
        guard stray != self.stray(of: slot) else { return false }
        strays[Int32(slot)] = stray
        return true
    }
}

/// A signal of a remote, which the air conditioner and a listening pod may receive.
struct InfraredSignal: Hashable, Sendable {
    let wanted: ACState
    let remote: RemoteKind
    /// Whether it toggles the power: a toggle remote sends no other power information.
    let switches: Bool

    /// The signal that changes an air conditioner from the state known to the sender to the requested one.
    init(from known: ACState, to wanted: ACState, by remote: RemoteKind) {
        (self.wanted, self.remote) = (wanted, remote)
        switches = known.isOn != wanted.isOn
    }

    func received(at state: ACState) -> ACState {
        var result = wanted
        if remote == .toggle { result.isOn = state.isOn != switches }
        return result
    }
}
