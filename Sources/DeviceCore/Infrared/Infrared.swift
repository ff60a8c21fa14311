import FleetProtocol

/// What air conditioners really are at: a side table, for most are at what their pods assume.
struct AirConditioners: Sendable {
    /// The states of those that are at another, by slot.
    private var strays: [Int32: ACState] = [:]

    /// Whether every one is at what its pod assumes.
    var areAsAssumed: Bool { strays.isEmpty }

    /// What the one of a slot is at where its pod does not know it; nil where it does.
    func stray(of slot: Int) -> ACState? { strays.isEmpty ? nil : strays[Int32(slot)] }

    /// Notes what the one of a slot is at, whose pod assumes a state.
    ///
    /// - Returns: Whether that is news: ``stray(of:)`` has changed.
    mutating func note(_ actual: ACState, of slot: Int, assumed: ACState) -> Bool {
        let stray = actual == assumed ? nil : actual
        guard stray != self.stray(of: slot) else { return false }
        strays[Int32(slot)] = stray
        return true
    }
}

/// What a remote sends, whoever it reaches: the air conditioner, and a pod that listens in.
struct InfraredSignal: Hashable, Sendable {
    /// How everything shall be, as far as its sender knows.
    let wanted: ACState
    /// How the remote says on and off.
    let remote: RemoteKind
    /// Whether it says that on and off change: all that a toggle remote says of them.
    let switches: Bool

    /// The signal that takes an air conditioner from the state that its sender knows to the one it wants.
    init(from known: ACState, to wanted: ACState, by remote: RemoteKind) {
        self.wanted = wanted
        self.remote = remote
        switches = known.isOn != wanted.isOn
    }

    /// What somebody is at who was at a state and receives it.
    func received(at state: ACState) -> ACState {
        var result = wanted
        if remote == .toggle { result.isOn = state.isOn != switches }
        return result
    }
}
