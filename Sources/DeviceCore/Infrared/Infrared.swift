import FleetProtocol

/// The actual states of air conditioners, in a side table: most have the state that their pods assume.
struct AirConditioners: Sendable {
    /// The states that differ from the assumed one, by slot.
    private var strays: [Int32: ACState] = [:]

    /// Whether every air conditioner has the state that its pod assumes.
    var areAsAssumed: Bool { strays.isEmpty }

    /// Returns the actual state of a slot's air conditioner if it differs from the assumed one, or else nil.
    func stray(of slot: Int) -> ACState? { strays.isEmpty ? nil : strays[Int32(slot)] }

    /// Records the actual state of a slot's air conditioner, given the state that its pod assumes.
    ///
    /// - Returns: Whether ``stray(of:)`` has changed.
    mutating func record(_ actual: ACState, of slot: Int, assumed: ACState) -> Bool {
        let stray = actual == assumed ? nil : actual
        guard stray != self.stray(of: slot) else { return false }
        strays[Int32(slot)] = stray
        return true
    }
}

/// A signal of a remote, which the air conditioner and a listening pod may receive.
struct InfraredSignal: Hashable, Sendable {
    /// The requested state, as known to the sender.
    let wanted: ACState
    /// The kind of code for the power.
    let remote: RemoteKind
    /// Whether it toggles the power: a toggle remote sends no other power information.
    let switches: Bool

    /// The signal that changes an air conditioner from the state known to the sender to the requested one.
    init(from known: ACState, to wanted: ACState, by remote: RemoteKind) {
        (self.wanted, self.remote) = (wanted, remote)
        switches = known.isOn != wanted.isOn
    }

    /// Returns the state of a receiver after the signal.
    func received(at state: ACState) -> ACState {
        var result = wanted
        if remote == .toggle { result.isOn = state.isOn != switches }
        return result
    }
}
