import FleetProtocol
import Stepping

/// Devices whose memory is not what it was.
extension Node {
    /// Has devices begin new incarnations whose memory went back, or names an epoch that no controller had.
    ///
    /// The file of a node's memory may have been replaced by an older copy. Then a device answers a sequence
    /// once more that it has answered before, and counts versions again that were seen with other states;
    /// only a new incarnation is safe. The node itself compares: an order that was under way for long, or is
    /// repeated, changes nothing.
    ///
    /// - Parameter epoch: The controller's. One of a lower epoch than the device's gives it no orders, unless
    ///   that epoch cannot be.
    mutating func renew(
        _ seen: [SeenDevice], by epoch: Epoch, at now: Moment, into effects: inout [Effect]
    ) {
        for known in seen {
            guard let slot = ownSlot(of: known.device) else { continue }
            let memory = devices[slot].memory
            guard memory.incarnation == known.incarnation else { continue }
            let wentBack = memory.version < known.version && memory.epoch <= epoch
            guard wentBack || !memory.epoch.isPlausible(at: now.wall, knowing: epoch) else { continue }
            reset(slot, into: &effects)
        }
    }
}
