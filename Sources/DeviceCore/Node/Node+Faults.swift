import FleetProtocol
import Stepping

/// Faults of devices, begun by the scenario or an operator, and their ends.
extension Node {
    /// The slots that one step of a heal order scans: few may have faults, and a million must not stall the
    /// loop.
    private static let slotsPerHealing = 16_384

    /// Injects an operator's fault into devices; devices that this node does not host are skipped.
    mutating func inject(
        _ fault: Fault, into named: [DeviceID], for duration: Duration, delay: Duration, at now: Moment,
        into effects: inout [Effect]
    ) {
        let hosted = named.compactMap(ownSlot(of:))
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
            guard let slot = ownSlot(of: device), heal(slot, at: now, into: &effects) else { continue }
            healed += 1
        }
        send(.done(order, devices: healed), into: &effects)
    }

    /// Heals devices in a range of slots; the next step continues, and the last reports the number of
    /// devices.
    ///
    /// - Parameter left: The number of devices that this step may still heal.
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

    /// Ends all faults of a device; returns false when it had none.
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

    /// Resets a device to its initial state in a new incarnation; the air conditioner's actual state is
    /// unchanged.
    ///
    /// A disconnected device takes a change number, too: rows with the same number compare by version, and
    /// versions of two incarnations are not comparable.
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

    /// Sets the state of a device's connection, and publishes the row if the device became reachable or
    /// unreachable.
    mutating func setConnectivity(_ next: Connectivity, of slot: Int, into effects: inout [Effect]) {
        let wasConnected = devices[slot].connectivity == .established
        devices[slot].connectivity = next
        guard wasConnected != (next == .established) else { return }
        renumber(slot)
        effects.append(.publish(row(of: slot)))
    }
}

/// The active faults of a node's devices, in side tables: usually few devices have faults, and if all do, it
/// is the same fault.
struct Faults: Sendable {
    /// A command that a device has received and not judged yet.
    struct HeldCommand: Sendable {
        let command: DeviceCommand
        /// The change of the device's settings; nil if the command changes the state.
        let setting: SettingChange?
        let epoch: Epoch
        let receivedAt: MonotonicTime
        /// When the device is ready to answer, unless it hangs.
        var answerAt: MonotonicTime

        /// The end of the command's time to live.
        var expiresAt: MonotonicTime { receivedAt.advanced(by: command.timeToLive) }
    }

    /// The effect of a device's faults on a received command.
    struct Reception: Sendable {
        /// Whether the device holds commands because it hangs.
        var isHanging = false
        /// The additional latency of a slow device.
        var delay = Duration.zero
    }

    private struct Slowness: Sendable {
        var until: MonotonicTime
        var delay: Duration
    }

    /// The ends of hangs by slot; one table for each fault, because a herd of a million has only one fault.
    private var hangs: [Int32: MonotonicTime] = [:]
    /// The ends of forced disconnections by slot.
    private var absences: [Int32: MonotonicTime] = [:]
    private var slownesses: [Int32: Slowness] = [:]
    /// Held commands by slot: of devices that hang or are slow, and of others with an answer latency.
    private var held: [Int32: HeldCommand] = [:]

    /// Returns the effect of the device's faults on a command received now.
    func reception(at slot: Int) -> Reception {
        Reception(isHanging: isHanging(slot), delay: slownesses[Int32(slot)]?.delay ?? .zero)
    }

    /// Whether the device hangs: it receives commands without judging them.
    func isHanging(_ slot: Int) -> Bool { hangs[Int32(slot)] != nil }

    /// Whether a fault keeps the device disconnected.
    func isForcedOffline(_ slot: Int) -> Bool { absences[Int32(slot)] != nil }

    /// An active fault of a device.
    struct Active: Equatable, Sendable {
        let slot: Int
        /// `hang`, `slow`, or `offline`; `offline` also stands for `reboot`.
        let kind: Fault
        let end: MonotonicTime
        var delay = Duration.zero
    }

    /// Returns the first active faults in the order of their slots, and the number of all.
    ///
    /// Few faults are sorted. For many, the slots are scanned from the first one: the list is full after a
    /// part of them.
    func active(in slots: Int, upTo limit: Int) -> (faults: [Active], total: Int) {
        let total = hangs.count + absences.count + slownesses.count
        let isFew = total <= 4 * limit
        let ill = isFew ? Set(hangs.keys).union(absences.keys).union(slownesses.keys).sorted() : []
        var (found, place) = ([Active](), 0)
        while found.count < limit, place < (isFew ? ill.count : slots) {
            let slot = isFew ? ill[place] : Int32(place)
            place += 1
            if let end = absences[slot] { found.append(Active(slot: Int(slot), kind: .offline, end: end)) }
            if let end = hangs[slot] { found.append(Active(slot: Int(slot), kind: .hang, end: end)) }
            if let slow = slownesses[slot] {
                found.append(Active(slot: Int(slot), kind: .slow, end: slow.until, delay: slow.delay))
            }
        }
        return (Array(found.prefix(limit)), total)
    }

    /// Begins a fault, or extends an active one.
    ///
    /// A reboot ends a hang and a slowness, and drops the held command.
    ///
    /// - Parameter delay: The additional latency of a slow device; replaces that of an active slowness.
    mutating func begin(_ fault: Fault, of slot: Int, until end: MonotonicTime, delay: Duration) {
        let slot = Int32(slot)
        switch fault {
        case .hang: hangs[slot] = max(end, hangs[slot] ?? end)
        case .offline: absences[slot] = max(end, absences[slot] ?? end)
        case .slow:
            slownesses[slot] = Slowness(until: max(end, slownesses[slot]?.until ?? end), delay: delay)
        case .reboot:
            absences[slot] = max(end, absences[slot] ?? end)
            (hangs[slot], slownesses[slot], held[slot]) = (nil, nil, nil)
        case .flip, .reset, .crash: break
        }
    }

    /// Ends a fault at its due time; returns false when the fault was extended or is not active.
    mutating func end(_ fault: Fault, of slot: Int, at now: MonotonicTime) -> Bool {
        let slot = Int32(slot)
        switch fault {
        case .hang:
            guard let end = hangs[slot], end <= now else { return false }
            hangs[slot] = nil
        case .offline, .reboot:
            guard let end = absences[slot], end <= now else { return false }
            absences[slot] = nil
        case .slow:
            guard let slowness = slownesses[slot], slowness.until <= now else { return false }
            slownesses[slot] = nil
        case .flip, .reset, .crash: return false
        }
        return true
    }

    /// The faults that a device had before it was healed.
    struct Recovery: Equatable, Sendable {
        /// Whether a fault kept the device disconnected.
        let wasOffline: Bool
    }

    /// Ends all faults of a device; returns nil when it had none.
    ///
    /// A command held by a slow device becomes due now, or after the command's own duration.
    mutating func heal(_ slot: Int, at now: MonotonicTime) -> Recovery? {
        let slot = Int32(slot)
        let (hang, absence) = (hangs.removeValue(forKey: slot), absences.removeValue(forKey: slot))
        let slowness = slownesses.removeValue(forKey: slot)
        guard hang != nil || absence != nil || slowness != nil else { return nil }
        if slowness != nil, let command = held[slot] {
            held[slot]?.answerAt = max(now, command.receivedAt.advanced(by: command.command.takes))
        }
        return Recovery(wasOffline: absence != nil)
    }

    /// Stores a command for a device that hangs or has a latency; returns false when it is stored already.
    ///
    /// A newer command replaces an older one: the controller sends it only after the older one was settled.
    mutating func hold(_ command: HeldCommand, at slot: Int) -> Bool {
        guard !holds(command.command.identity, at: slot) else { return false }
        held[Int32(slot)] = command
        return true
    }

    /// Whether the device holds a command.
    func holds(_ identity: CommandIdentity, at slot: Int) -> Bool {
        held[Int32(slot)]?.command.identity == identity
    }

    /// The time at which the device is ready to answer its held command; nil if it holds none.
    func answerDue(at slot: Int) -> MonotonicTime? { held[Int32(slot)]?.answerAt }

    /// Removes and returns the held command if it is due: its time to live is over, or the device is ready
    /// and does not hang.
    mutating func releaseHeld(at slot: Int, now: MonotonicTime) -> HeldCommand? {
        guard let command = held[Int32(slot)] else { return nil }
        guard command.expiresAt <= now || !isHanging(slot) && command.answerAt <= now else { return nil }
        held[Int32(slot)] = nil
        return command
    }
}
