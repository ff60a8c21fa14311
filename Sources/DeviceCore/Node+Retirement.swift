import FleetProtocol

/// Devices that leave the fleet while it runs.
extension Node {
    /// The node's last devices are there no more; the others are not disturbed.
    ///
    /// Nothing is heard of them any longer, and what was under way with them does not happen: a command that
    /// one of them holds is never judged. What they remember stays in the node's memory, should they come
    /// back with another life of the process. Devices that are not here have left already.
    mutating func retire(_ named: [DeviceID], for order: OrderID, into effects: inout [Effect]) {
        let leaving = named.compactMap(ownSlot(of:))
        guard Set(leaving).count == leaving.count, leaving.allSatisfy({ $0 >= hosted - leaving.count })
        else { return send(.done(order, devices: 0, .notLast), into: &effects) }
        hosted -= leaving.count
        rooms.keep(hosted)
        send(.done(order, devices: UInt32(leaving.count)), into: &effects)
    }
}
