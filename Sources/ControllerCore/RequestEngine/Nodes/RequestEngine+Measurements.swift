import FleetProtocol
import Stepping

/// What pods measure: the newest is kept of each device, and everybody who watches is told.
///
/// Nothing is repaired: a measurement that is lost is followed by the next.
extension RequestEngine {
    /// Takes what pods of a node have just measured; devices of other nodes are passed over.
    mutating func heardMeasured(
        _ measured: [MeasuredDevice], from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        guard !measured.isEmpty else { return }
        var known: [MeasuredDevice] = []
        known.reserveCapacity(measured.count)
        for one in measured {
            guard let device = directory.device(one.device), directory.devices[device].node == node,
                !directory.devices[device].isAwaited
            else {
                meter.note(.foreignDevice)
                continue
            }
            directory.devices[device].measurements = one.measurements
            directory.devices[device].measuredAt = now.wall
            known.append(one)
        }
        guard !known.isEmpty else { return }
        publish(.measured(known), to: directory.nodes[node].account, at: now, into: &effects)
    }
}
