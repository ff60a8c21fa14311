import FleetProtocol
import Stepping

/// What goes wrong with devices, by a scenario or because an operator wants it, and how it ends.
extension Node {
    /// Slots that one step looks at for ill devices, who may be few, so that a million never stall the loop.
    private static let slotsPerHealing = 16_384

    /// An operator makes something go wrong with devices; those that are not here are passed over.
    mutating func inject(
        _ fault: Fault, into named: [DeviceID], for duration: Duration, delay: Duration, at now: Moment,
        into effects: inout [Effect]
    ) {
        let hosted = named.compactMap(ownSlot(of:))
        if fault == .crash, !hosted.isEmpty { return effects.append(.crash) }
        let end = now.monotonic.advanced(by: duration)
        for slot in hosted { beginFault(fault, of: slot, until: end, delay: delay, into: &effects) }
    }

    /// Something goes wrong with a device, until then where it lasts.
    mutating func beginFault(
        _ fault: Fault, of slot: Int, until end: MonotonicTime, delay: Duration = .zero,
        into effects: inout [Effect]
    ) {
        switch fault {
        case .flip: return useHandRemote(of: slot, into: &effects)
        case .reset: return reset(slot, into: &effects)
        case .crash: return effects.append(.crash)
        case .offline, .hang, .slow, .reboot: break
        }
        faults.begin(fault, of: slot, until: end, delay: delay)
        timers.set(.faultEnds(slot: slot, fault), at: end)
        switch fault {
        case .offline: setConnectivity(.error, of: slot, into: &effects)
        case .reboot: setConnectivity(.connecting, of: slot, into: &effects)
        case .hang, .slow, .flip, .reset, .crash: break
        }
    }

    mutating func endFault(_ fault: Fault, of slot: Int, at now: Moment, into effects: inout [Effect]) {
        guard faults.end(fault, of: slot, at: now.monotonic) else { return }
        switch fault {
        case .offline, .reboot: setConnectivity(.established, of: slot, into: &effects)
        case .hang: judgeHeld(slot, at: now, into: &effects)
        case .slow, .flip, .reset, .crash: break
        }
    }

    /// An operator ends what is wrong with devices, or with all of them where none is named.
    mutating func heal(
        _ named: [DeviceID], for order: OrderID, at now: Moment, into effects: inout [Effect]
    ) {
        guard !named.isEmpty else {
            var left = Self.eventsPerStep
            return healNext(from: 0, after: 0, for: order, at: now, left: &left, into: &effects)
        }
        var healed: UInt32 = 0
        for device in named {
            guard let slot = ownSlot(of: device), heal(slot, at: now, into: &effects) else { continue }
            healed += 1
        }
        send(.done(order, devices: healed), into: &effects)
    }

    /// Looks for ill devices in some slots; the next step goes on, and the last tells how many there were.
    ///
    /// - Parameter left: How many the step may heal yet.
    mutating func healNext(
        from first: Int, after healed: UInt32, for order: OrderID, at now: Moment, left: inout Int,
        into effects: inout [Effect]
    ) {
        var healed = healed
        let last = min(hosted, first + Self.slotsPerHealing)
        var slot = first
        while slot < last, left > 0 {
            if heal(slot, at: now, into: &effects) {
                healed += 1
                left -= 1
            }
            slot += 1
        }
        guard slot >= hosted else {
            left = 0
            return timers.set(.heals(from: slot, after: healed, order), at: now.monotonic)
        }
        send(.done(order, devices: healed), into: &effects)
    }

    /// Ends all that is wrong with a device; false when nothing was.
    private mutating func heal(_ slot: Int, at now: Moment, into effects: inout [Effect]) -> Bool {
        guard let recovery = faults.heal(slot, at: now.monotonic) else { return false }
        if recovery.wasOffline { setConnectivity(.established, of: slot, into: &effects) }
        judgeHeld(slot, at: now, into: &effects)
        if let due = faults.answerDue(at: slot), due > now.monotonic {
            timers.set(.heldDue(slot: slot), at: due)
        }
        return true
    }

    /// The active faults, in the order of the devices' slots.
    func activeFaults(at now: MonotonicTime) -> FaultList {
        let active = faults.active(in: hosted, upTo: Limits.listedFaults)
        let listed = active.faults.map { fault in
            // A reboot, too, ends the connection; the device connects when it has restarted.
            let isRebooting = fault.kind == .offline && devices[fault.slot].connectivity == .connecting
            return ActiveFault(
                device: ids[fault.slot], fault: isRebooting ? .reboot : fault.kind,
                remaining: max(.zero, now.duration(to: fault.end)), delay: fault.delay)
        }
        return FaultList(faults: listed, total: UInt32(clamping: active.total))
    }

    /// A device forgets everything; its air conditioner goes on as it was.
    ///
    /// Even one without a connection takes a number: within one number its rows compare by their version,
    /// and versions of two lives do not compare.
    mutating func reset(_ slot: Int, into effects: inout [Effect]) {
        let actual = actualState(of: slot)
        devices[slot].reset(
            to: newbornState(of: slot), incarnation: Incarnation(bits: incarnations.next()))
        settings.set(DeviceSettings(), of: slot)
        renumber(slot)
        remember(.reset, of: slot, into: &effects)
        note(actual, of: slot, into: &effects)
        effects.append(.publish(row(of: slot)))
    }

    /// A device's connection is in another state; only whether it can be reached is told.
    mutating func setConnectivity(_ next: Connectivity, of slot: Int, into effects: inout [Effect]) {
        let wasConnected = devices[slot].connectivity == .established
        devices[slot].connectivity = next
        guard wasConnected != (next == .established) else { return }
        renumber(slot)
        effects.append(.publish(row(of: slot)))
    }
}
