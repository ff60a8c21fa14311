import FleetProtocol

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
        var resultAt: MonotonicTime

        var expiresAt: MonotonicTime { receivedAt.advanced(by: command.timeToLive) }
    }

    /// The effect of a device's faults on a received command.
    struct Reception: Sendable {
        var isHanging = false
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

    func reception(at slot: Int) -> Reception {
        Reception(isHanging: isHanging(slot), delay: slownesses[Int32(slot)]?.delay ?? .zero)
    }

    /// Whether the device hangs: it receives commands without judging them.
    func isHanging(_ slot: Int) -> Bool { hangs[Int32(slot)] != nil }

    func isForcedOffline(_ slot: Int) -> Bool { absences[Int32(slot)] != nil }

    struct Active: Equatable, Sendable {
        let slot: Int
        /// `hang`, `slow`, or `offline`; `offline` also stands for `reboot`.
        let kind: Fault
        let end: MonotonicTime
        var delay = Duration.zero
    }

    /// Returns the first active faults in the order of their slots, and the number of all. Few faults are
    /// sorted. For many, the slots are scanned from the first one: the list is full after a part of them.
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

    /// Begins a fault, or extends an active one. A reboot ends a hang and a slowness, and drops the held
    /// command. The delay of a slow device replaces that of an active slowness.
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
        let wasOffline: Bool
    }

    /// Ends all faults of a device; returns nil when it had none. A command held by a slow device becomes due
    /// now, or after the command's own duration.
    mutating func heal(_ slot: Int, at now: MonotonicTime) -> Recovery? {
        let slot = Int32(slot)
        let (hang, absence) = (hangs.removeValue(forKey: slot), absences.removeValue(forKey: slot))
        let slowness = slownesses.removeValue(forKey: slot)
        guard hang != nil || absence != nil || slowness != nil else { return nil }
        if slowness != nil, let command = held[slot] {
            held[slot]?.resultAt = max(now, command.receivedAt.advanced(by: command.command.takes))
        }
        return Recovery(wasOffline: absence != nil)
    }

    /// Stores a command for a device that hangs or has a latency; returns false when it is stored already. A
    /// newer command replaces an older one: the controller sends it only after the older one was settled.
    mutating func hold(_ command: HeldCommand, at slot: Int) -> Bool {
        guard !holds(command.command.identity, at: slot) else { return false }
        held[Int32(slot)] = command
        return true
    }

    func holds(_ identity: CommandIdentity, at slot: Int) -> Bool {
        held[Int32(slot)]?.command.identity == identity
    }

    /// The time at which the device is ready to answer its held command; nil if it holds none.
    func resultDue(at slot: Int) -> MonotonicTime? { held[Int32(slot)]?.resultAt }

    /// Removes and returns the held command if it is due: its time to live is over, or the device is ready
    /// and does not hang.
    mutating func releaseHeld(at slot: Int, now: MonotonicTime) -> HeldCommand? {
        guard let command = held[Int32(slot)] else { return nil }
        guard command.expiresAt <= now || !isHanging(slot) && command.resultAt <= now else { return nil }
        held[Int32(slot)] = nil
        return command
    }
}
