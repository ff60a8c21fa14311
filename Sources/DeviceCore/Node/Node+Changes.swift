public import FleetProtocol

/// The changes that users have made to a node's devices.
public struct DeviceChanges: Equatable, Sendable {
    /// The names that differ from those of the population.
    public var names: [DeviceID: String]
    /// The devices that the node does not host, although they are in its range.
    public var removed: Set<DeviceID>

    /// The given changes; none by default.
    public init(names: [DeviceID: String] = [:], removed: Set<DeviceID> = []) {
        (self.names, self.removed) = (names, removed)
    }
}

/// Devices that users have renamed or removed while the node runs.
extension Node {
    /// Applies changes of users: new names are in the next pulled rows, and removed devices are hidden.
    ///
    /// A renamed device gets a change number that is not published. So the controller pulls the row, which
    /// has the name. A device that is no longer listed as removed returns when the node starts again.
    mutating func use(_ changes: DeviceChanges, into effects: inout [Effect]) {
        let before = configuration.changes.names
        configuration.changes = changes
        devices.hide(changes.removed)
        let renamed = Set(before.keys).union(changes.names.keys).filter { before[$0] != changes.names[$0] }
        let slots = renamed.compactMap(devices.hostedSlot(of:)).sorted()
        for slot in slots { devices.renumber(slot) }
        if !slots.isEmpty { send(.ping(), into: &effects) }
    }

    /// Removes the publications of hidden devices from the effects of a step.
    ///
    /// - Parameter start: The number of effects before the step.
    func hideRemoved(in effects: inout [Effect], from start: Int) {
        guard effects.count > start else { return }
        let made = effects[start...].compactMap { effect -> Effect? in
            switch effect {
            case .publish(let row): return devices.hostedSlot(of: row.device) == nil ? nil : effect
            case .measured(let measured):
                let shown = measured.filter { devices.hostedSlot(of: $0.device) != nil }
                return shown.isEmpty ? nil : .measured(shown)
            case .remember, .send, .crash, .readScenario, .connect, .refused: return effect
            }
        }
        effects.replaceSubrange(start..., with: made)
    }
}
