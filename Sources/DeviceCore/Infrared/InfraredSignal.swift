import FleetProtocol

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
