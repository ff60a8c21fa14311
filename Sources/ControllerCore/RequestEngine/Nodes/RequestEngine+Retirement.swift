import FleetProtocol
import Stepping

/// Devices that leave the fleet while it runs.
extension RequestEngine {
    /// How long after the last device has left it is kept which devices there are: of a large fleet the list
    /// is long, and devices leave in orders of a thousand.
    static let retirementPause: Duration = .seconds(1)

    /// Has devices leave for good.
    ///
    /// A node that can be reached is asked, for it alone can say that it does not host them any more.
    /// Those of a node that is away leave at once: it comes back without them, or not at all. What is not
    /// known has left already; while nodes may still say what they have, nothing is. An order that names
    /// nobody is answered when all earlier retirements are stored.
    mutating func retire(
        _ named: [DeviceID], account: AccountIndex, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        guard named.isEmpty || !isSettling(account, at: now.monotonic), !orders.isFull else {
            return refuse(.busy(retryAfter: Limits.beatInterval), to: waiter, into: &effects)
        }
        if named.isEmpty { keepRetirements(into: &effects) }
        var byNode: [NodeSlot: [DeviceID]] = [:]
        var report = OrderReport()
        for id in named {
            guard let device = directory.device(id, of: account), !directory.devices[device].isAwaited else {
                if dismissAwaited(id, of: account, at: now, into: &effects) { report.devices += 1 }
                continue
            }
            let node = directory.devices[device].node
            if directory.nodes[node].isReachable {
                byNode[node, default: []].append(id)
            } else {
                dismiss(id, from: node, at: now, into: &effects)
                report.devices += 1
            }
        }
        let nodes = byNode.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
        begin(nodes, of: .retirement, for: waiter, report: report, at: now, into: &effects) {
            .retire($0, devices: $1)
        }
    }

    /// A device has left: requests for it end, and observers hear of it.
    ///
    /// One that lives on another node by now stays.
    mutating func dismiss(
        _ id: DeviceID, from node: NodeSlot, at now: Moment, into effects: inout Effects
    ) {
        guard let device = directory.device(id), directory.devices[device].node == node else { return }
        let account = directory.devices[device].account
        for slot in lanes[device].map({ Array($0) }) ?? [] {
            settle(slot, .undetermined(.deviceGone), at: now, into: &effects)
        }
        if let slot = directory.devices[device].current {
            settle(slot, .undetermined(.deviceGone), at: now, into: &effects)
        }
        directory.removeDevice(device)
        directory.shrunk.insert(directory.nodes[node].key)
        notify(.deviceRemoved(id, account))
        publish(.removed(id), to: account, at: now, into: &effects)
        noteRetirement(at: now.monotonic)
    }

    /// A device that no node has named since our start leaves; false when nobody awaits it.
    private mutating func dismissAwaited(
        _ id: DeviceID, of account: AccountIndex, at now: Moment, into effects: inout Effects
    ) -> Bool {
        guard directory.awaited.account(of: id) == account, let nowhere = NodeName("nowhere") else {
            return false
        }
        // Who named it does not matter: the node that had it is kept without it.
        _ = directory.name(id, at: NodeKey(account: account, name: nowhere))
        removeAwaited(id, of: account, at: now, into: &effects)
        noteRetirement(at: now.monotonic)
        return true
    }

    private mutating func noteRetirement(at now: MonotonicTime) {
        if lastRetirement == nil { timers.set(.retirementsOver, at: now.advanced(by: Self.retirementPause)) }
        lastRetirement = now
    }

    /// Keeps which devices there are, once no more have left for a while.
    mutating func retirementsOver(at now: MonotonicTime, into effects: inout Effects) {
        guard let last = lastRetirement else { return }
        let due = last.advanced(by: Self.retirementPause)
        guard due <= now else { return timers.set(.retirementsOver, at: due) }
        keepRetirements(into: &effects)
    }

    private mutating func keepRetirements(into effects: inout Effects) {
        guard lastRetirement != nil else { return }
        lastRetirement = nil
        keepShrunk(into: &effects)
    }
}
