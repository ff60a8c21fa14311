import FleetProtocol

extension Requests {
    @inline(__always)
    mutating func advanceLane(
        of device: DeviceSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        if !open.isLaneEmpty(of: device) { advance(device, at: now, in: &fleet, into: &effects) }
    }

    private mutating func advance(
        _ device: DeviceSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        while let next = open.first(inLaneOf: device), isFree(device, in: fleet) {
            guard !awaitsState(next, of: device, at: now.monotonic, in: &fleet) else { return }
            open.removeFirst(ofLaneOf: device)
            resolve(next, of: device, at: now, in: &fleet, into: &effects)
        }
    }

    mutating func advanceLanes(
        at node: NodeSlot, at now: Moment, in fleet: inout Fleet, into effects: inout Effects
    ) {
        for device in open.devicesWithLanes(at: node, in: fleet.directory) {
            advanceLane(of: device, at: now, in: &fleet, into: &effects)
        }
    }

    /// Resolves a request at once if its device is free and its lane empty; otherwise appends it to the lane.
    @inline(__always)
    mutating func enterLane(
        _ slot: RequestSlot, expecting expected: Expectation?, of device: DeviceSlot, at now: Moment,
        in fleet: inout Fleet, into effects: inout Effects
    ) {
        if open.isLaneEmpty(of: device), isFree(device, in: fleet),
            expected.map({ !isNewer($0, of: device, in: fleet) }) ?? true
        {
            return resolve(slot, of: device, at: now, in: &fleet, into: &effects)
        }
        enqueue(slot, of: device, at: now, in: &fleet, into: &effects)
    }

    private mutating func enqueue(
        _ slot: RequestSlot, of device: DeviceSlot, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        open.enqueue(slot)
        advanceLane(of: device, at: now, in: &fleet, into: &effects)
        guard open.isLive(slot), !open[slot].state.isDispatched else { return }
        arm(slot, at: open[slot].startDue, in: &fleet)
        let account = fleet.directory.accounts[Int(open[slot].key.account)].id
        effects.store(.request(.admitted(open[slot].record(of: account))))
    }

    /// Whether no command is in flight and the device can be reached.
    @inline(__always)
    private func isFree(_ device: DeviceSlot, in fleet: borrowing Fleet) -> Bool {
        fleet.directory.devices[device].current == nil && fleet.isReachable(device)
    }

    /// Whether a request waits for the state of its device, because its client knows a newer one.
    private mutating func awaitsState(
        _ slot: RequestSlot, of device: DeviceSlot, at now: MonotonicTime, in fleet: inout Fleet
    ) -> Bool {
        guard knowsNewerState(slot, of: device, at: now, in: fleet) else { return false }
        let node = fleet.directory.devices[device].node
        guard open.update(slot, { $0.state.askForState() }) else {
            return fleet.directory.nodes[node].boot.changes.isBeingRepaired
        }
        fleet.repairSoon(node, at: now)
        return true
    }

    @inline(__always)
    private func knowsNewerState(
        _ slot: RequestSlot, of device: DeviceSlot, at now: MonotonicTime, in fleet: borrowing Fleet
    ) -> Bool {
        guard let expected = open[slot].content.expected, now < open[slot].deadline else { return false }
        return isNewer(expected, of: device, in: fleet)
    }

    @inline(__always)
    private func isNewer(_ expected: Expectation, of device: DeviceSlot, in fleet: borrowing Fleet) -> Bool {
        let reported = fleet.directory.devices[device].reported
        return expected.incarnation == reported.incarnation && expected.version > reported.version
    }

    /// Makes a request that is in no lane absolute and sends it, or ends it as expired or as a conflict.
    @inline(__always)
    private mutating func resolve(
        _ slot: RequestSlot, of device: DeviceSlot, at now: Moment, in fleet: inout Fleet,
        into effects: inout Effects
    ) {
        guard now.monotonic < open.startDue(of: slot) else {
            return settle(slot, .expired, at: now, in: &fleet, into: &effects)
        }
        if let expected = open[slot].content.expected {
            let reported = fleet.directory.devices[device].reported
            let version = planted(.conflictWithNext) ? reported.version.next : reported.version
            if expected != Expectation(incarnation: reported.incarnation, version: version) {
                return settle(slot, .conflict(reported), at: now, in: &fleet, into: &effects)
            }
        }
        fleet.directory.devices[device].current = slot
        dispatch(slot, at: now, in: &fleet, into: &effects)
    }
}
