public import FleetProtocol

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
