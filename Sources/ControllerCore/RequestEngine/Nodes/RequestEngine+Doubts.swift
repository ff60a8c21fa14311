import FleetProtocol
import Stepping

/// Rows that the controller refuses, and devices whose memory it does not trust.
extension RequestEngine {
    /// Whether a row may be taken; its device belongs to the node that says it.
    ///
    /// A row of a later controller's epoch ends this one. An epoch that no controller can have had is
    /// refused, and nothing else of the row: its device, which refuses commands of any lower epoch, is asked
    /// to begin a new incarnation.
    mutating func mayTake(
        _ row: DeviceRow, from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) -> Bool {
        guard row.isCountable else {
            meter.note(.uncountable)
            return false
        }
        guard row.epoch > epoch else { return true }
        guard !row.epoch.isPlausible(at: now.wall, knowing: epoch) else {
            effects.halt(fencedBy: row.epoch)
            return false
        }
        meter.note(.implausibleEpoch)
        doubted.append(
            SeenDevice(
                device: row.device, incarnation: row.reported.incarnation, version: row.reported.version))
        return true
    }

    /// Notes a device that does not remember what it has told in this incarnation.
    ///
    /// Only a pulled row shows that: a published one may have been delayed. The first row of a node's boot
    /// counts as newer.
    mutating func noteMemory(of device: DeviceSlot, in row: DeviceRow) {
        let record = directory.devices[device]
        guard record.reported.incarnation == row.reported.incarnation,
            row.reported.version < record.reported.version,
            record.boot != directory.nodes[record.node].boot || row.number > record.number,
            !configuration.planted(.memoryBelieved)
        else { return }
        meter.note(.memoryWentBack)
        directory.nodes[record.node].forgetful.insert(device)
        doubted.append(seen(device))
    }

    private func seen(_ device: DeviceSlot) -> SeenDevice {
        let record = directory.devices[device]
        return SeenDevice(
            device: record.id, incarnation: record.reported.incarnation, version: record.reported.version)
    }

    /// Asks a node to have devices begin new incarnations, once all rows of a message were judged.
    @inline(__always)
    mutating func askToRenew(at node: NodeSlot, into effects: inout Effects) {
        if !doubted.isEmpty { askToRenewDoubted(at: node, into: &effects) }
    }

    private mutating func askToRenewDoubted(at node: NodeSlot, into effects: inout Effects) {
        for start in stride(from: 0, to: doubted.count, by: Limits.renewedDevices) {
            let part = doubted[start..<min(start + Limits.renewedDevices, doubted.count)]
            send(.renew(Array(part)), to: node, into: &effects)
        }
        doubted.removeAll(keepingCapacity: true)
    }

    /// Asks a node once more for the devices that have not begun new incarnations: the first order may be
    /// lost.
    mutating func askToRenewAgain(at node: NodeSlot, into effects: inout Effects) {
        guard !directory.nodes[node].forgetful.isEmpty else { return }
        let boot = directory.nodes[node].boot
        let left = directory.nodes[node].forgetful.filter {
            let record = directory.devices[$0]
            return record.node == node && record.boot != boot && !record.isRemoved
        }
        directory.nodes[node].forgetful = left
        doubted += left.sorted().prefix(Limits.renewedDevices).map(seen)
        askToRenew(at: node, into: &effects)
    }

}

extension DeviceRow {
    /// Whether there is room to count on from its numbers.
    fileprivate var isCountable: Bool {
        // No loop over an array: each row of each message comes by here.
        let most = Limits.largestOrdinal
        return number.value <= most && epoch.value <= most && lastSequence.value <= most
            && reported.version.value <= most
    }
}
