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

/// What is wrong with which devices of a node right now: side tables, for few devices are ill at a time, and
/// where all of them are, it is of one thing.
struct Faults: Sendable {
    /// A command that a device has taken and not carried out yet.
    struct HeldCommand: Sendable {
        let command: DeviceCommand
        /// What it changes of the device's settings; nil where it changes the state.
        let setting: SettingChange?
        let epoch: Epoch
        let receivedAt: MonotonicTime
        /// When the device is ready to answer, unless it hangs.
        var answerAt: MonotonicTime

        /// When its time to live is over.
        var expiresAt: MonotonicTime { receivedAt.advanced(by: command.timeToLive) }
    }

    /// How a device takes a command right now.
    struct Reception: Sendable {
        /// It takes commands without carrying them out.
        var isHanging = false
        /// How much later than otherwise it carries them out.
        var delay = Duration.zero
    }

    private struct Slowness: Sendable {
        var until: MonotonicTime
        var delay: Duration
    }

    /// Of each that hangs, until when; a table for each fault, for a herd of a million has one and the same.
    private var hangs: [Int32: MonotonicTime] = [:]
    /// Of each whose connection has been taken away, until when.
    private var absences: [Int32: MonotonicTime] = [:]
    private var slownesses: [Int32: Slowness] = [:]
    /// Commands that devices hold: of those that hang or are slow, and of others where answers take time.
    private var held: [Int32: HeldCommand] = [:]

    /// How the device takes a command right now.
    func reception(at slot: Int) -> Reception {
        Reception(isHanging: isHanging(slot), delay: slownesses[Int32(slot)]?.delay ?? .zero)
    }

    /// Whether the device takes commands without carrying them out.
    func isHanging(_ slot: Int) -> Bool { hangs[Int32(slot)] != nil }

    /// Whether somebody has taken the device's connection away.
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

    /// Begins a fault, or makes one that is there end later.
    ///
    /// A device that starts again has lost what it was about: the command that it held, a hang, a slowness.
    ///
    /// - Parameter delay: How late a slow device is from now on; the newest counts.
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

    /// Ends a fault whose time has come; false when it was prolonged meanwhile.
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

    /// What was wrong with a device that got well.
    struct Recovery: Equatable, Sendable {
        /// Its connection had been taken away.
        let wasOffline: Bool
    }

    /// Ends all that is wrong with a device; nil when nothing was.
    ///
    /// A command that it holds because it was slow is to be answered now, or when it has taken its time.
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

    /// Keeps a command at a device that hangs, or takes its time; false when it is there already.
    ///
    /// A newer one takes the place of an older one: the controller sends it only after the older was settled.
    mutating func hold(_ command: HeldCommand, at slot: Int) -> Bool {
        guard !holds(command.command.identity, at: slot) else { return false }
        held[Int32(slot)] = command
        return true
    }

    /// Whether the device holds a command.
    func holds(_ identity: CommandIdentity, at slot: Int) -> Bool {
        held[Int32(slot)]?.command.identity == identity
    }

    /// When the device is ready to answer what it holds; nil where it holds nothing.
    func answerDue(at slot: Int) -> MonotonicTime? { held[Int32(slot)]?.answerAt }

    /// Takes the held command out, if it is to be answered now: when its time to live is over, or the device
    /// is ready and does not hang.
    mutating func releaseHeld(at slot: Int, now: MonotonicTime) -> HeldCommand? {
        guard let command = held[Int32(slot)] else { return nil }
        guard command.expiresAt <= now || !isHanging(slot) && command.answerAt <= now else { return nil }
        held[Int32(slot)] = nil
        return command
    }
}
