import FleetProtocol

extension Node {
    /// The slots that one step of a heal order scans: few may have faults, and a million must not stall the
    /// loop.
    private static let slotsPerHealing = 16_384

    /// Injects an operator's fault into devices; devices that this node does not host are skipped.
    mutating func inject(
        _ fault: Fault, into named: [DeviceID], for duration: Duration, delay: Duration, at now: Moment,
        into effects: inout [Effect]
    ) {
        let hosted = named.compactMap(devices.hostedSlot(of:))
        if fault == .crash, !hosted.isEmpty { return effects.append(.crash) }
        let end = now.monotonic.advanced(by: duration)
        for slot in hosted { beginFault(fault, of: slot, until: end, delay: delay, into: &effects) }
    }

    /// Begins a fault of a device, which lasts until `end` unless it is instantaneous.
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

    /// Ends the faults of the named devices at an operator's order, or of all devices if none is named.
    mutating func heal(
        _ named: [DeviceID], for order: OrderID, at now: Moment, into effects: inout [Effect]
    ) {
        guard !named.isEmpty else {
            var left = Self.eventsPerStep
            return healNext(from: 0, after: 0, for: order, at: now, left: &left, into: &effects)
        }
        var healed: UInt32 = 0
        for device in named {
            guard let slot = devices.hostedSlot(of: device), heal(slot, at: now, into: &effects) else {
                continue
            }
            healed += 1
        }
        send(.done(order, devices: healed), into: &effects)
    }

    /// Heals devices in a range of slots; the next step continues, and the last reports the number of
    /// devices.
    mutating func healNext(
        from first: Int, after healed: UInt32, for order: OrderID, at now: Moment, left: inout Int,
        into effects: inout [Effect]
    ) {
        var healed = healed
        let last = min(devices.count, first + Self.slotsPerHealing)
        var slot = first
        while slot < last, left > 0 {
            if heal(slot, at: now, into: &effects) {
                healed += 1
                left -= 1
            }
            slot += 1
        }
        guard slot >= devices.count else {
            left = 0
            return timers.set(.heals(from: slot, after: healed, order), at: now.monotonic)
        }
        send(.done(order, devices: healed), into: &effects)
    }

    private mutating func heal(_ slot: Int, at now: Moment, into effects: inout [Effect]) -> Bool {
        guard let recovery = faults.heal(slot, at: now.monotonic) else { return false }
        if recovery.wasOffline { setConnectivity(.established, of: slot, into: &effects) }
        judgeHeld(slot, at: now, into: &effects)
        if let due = faults.resultDue(at: slot), due > now.monotonic {
            timers.set(.heldDue(slot: slot), at: due)
        }
        return true
    }

    func activeFaults(at now: MonotonicTime) -> FaultList {
        let active = faults.active(in: devices.count, upTo: Limits.listedFaults)
        let shown = active.faults.filter { !devices.isHidden($0.slot) }
        let listed = shown.map { fault in
            // A reboot, too, ends the connection; the device connects when it has restarted.
            let isRebooting = fault.kind == .offline && devices[fault.slot].connectivity == .connecting
            return ActiveFault(
                device: devices.ids[fault.slot], fault: isRebooting ? .reboot : fault.kind,
                remaining: max(.zero, now.duration(to: fault.end)), delay: fault.delay)
        }
        return FaultList(
            faults: listed, total: UInt32(clamping: active.total - active.faults.count + shown.count))
    }

    /// Resets a device to its initial state in a new incarnation; the air conditioner's actual state is
    /// unchanged. A disconnected device takes a change number, too: rows with the same number compare by
    /// version, and versions of two incarnations are not comparable.
    mutating func reset(_ slot: Int, into effects: inout [Effect]) {
        let actual = actualState(of: slot)
        devices[slot].reset(
            to: .asBuilt(population.group(of: slot)), incarnation: Incarnation(bits: incarnations.next()))
        settings.set(DeviceSettings(), of: slot)
        devices.renumber(slot)
        remember(.reset, of: slot, into: &effects)
        record(actual, of: slot, into: &effects)
        effects.append(.publish(row(of: slot)))
    }

    /// Sets the state of a device's connection, and publishes the row if the device became reachable or
    /// unreachable.
    mutating func setConnectivity(_ next: Connectivity, of slot: Int, into effects: inout [Effect]) {
        let wasConnected = devices.isConnected(slot)
        devices[slot].connectivity = next
        guard wasConnected != (next == .established) else { return }
        devices.renumber(slot)
        effects.append(.publish(row(of: slot)))
    }
}
