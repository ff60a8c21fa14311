import FleetProtocol
import UserText

/// The names of devices: each is unique in its account, as it is shown on a terminal, in any case of its
/// letters.
extension Directory {
    /// Returns the name of a device: the wanted one without characters that a terminal obeys or hides; or its
    /// ID, if nothing is left, or if another device of the account has that name.
    func name(_ wanted: String, of id: DeviceID, in account: AccountIndex) -> String {
        let safe = SafeText.stored(wanted)
        guard SafeText.isName(safe) else { return id.description }
        let folded = SafeText.folded(safe)
        let holder = names.slot(of: Self.hash(folded, account)) {
            devices[$0].account == account && SafeText.folded(devices[$0].name) == folded
        }
        return holder.map { devices[$0].id == id } ?? true ? safe : id.description
    }

    /// Gives a device the name that its row wants, as far as ``name(_:of:in:)`` allows.
    ///
    /// - Returns: Whether its name has changed.
    mutating func rename(_ device: DeviceSlot, as wanted: String) -> Bool {
        guard devices[device].name != wanted else { return false }
        let name = name(wanted, of: devices[device].id, in: devices[device].account)
        noteName(name, wanted: wanted, at: devices[device].node)
        guard devices[device].name != name else { return false }
        releaseName(of: device)
        devices[device].name = name
        claimName(of: device)
        return true
    }

    /// Records that a node's device has not got its name: its rows are pulled again once a name is free.
    mutating func noteName(_ name: String, wanted: String, at node: NodeSlot) {
        if name != wanted { nodes[node].namesRefusedAt = namesReleased }
    }

    mutating func claimName(of device: DeviceSlot) {
        guard !devices[device].name.isEmpty else { return }
        names.insert(device, of: Self.hash(SafeText.folded(devices[device].name), devices[device].account))
    }

    /// Records that a device gives up its name.
    mutating func releaseName(of device: DeviceSlot) {
        guard !devices[device].name.isEmpty else { return }
        names.remove(device, of: Self.hash(SafeText.folded(devices[device].name), devices[device].account))
        namesReleased += 1
    }

    private static func hash(_ folded: String, _ account: AccountIndex) -> UInt32 {
        var hasher = Hasher()
        hasher.combine(account)
        hasher.combine(folded)
        return UInt32(truncatingIfNeeded: hasher.finalize())
    }
}
