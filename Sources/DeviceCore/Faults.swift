import FleetProtocol
import Stepping

/// What is wrong with which devices of a node right now: a side table, for few devices are ill at a time.
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

    private struct Illness: Sendable {
        var hangsUntil: MonotonicTime?
        var offlineUntil: MonotonicTime?
        var slowness: Slowness?
        var held: HeldCommand?

        /// Whether nothing is wrong; a command may be on its way in it all the same.
        var isWell: Bool { hangsUntil == nil && offlineUntil == nil && slowness == nil }
        var isOver: Bool { isWell && held == nil }
    }

    private var illnesses: [Int: Illness] = [:]

    /// How the device takes a command right now.
    func reception(at slot: Int) -> Reception {
        guard let illness = illnesses[slot] else { return Reception() }
        return Reception(
            isHanging: illness.hangsUntil != nil, delay: illness.slowness?.delay ?? .zero)
    }

    /// Whether the device takes commands without carrying them out.
    func isHanging(_ slot: Int) -> Bool { illnesses[slot]?.hangsUntil != nil }

    /// Whether somebody has taken the device's connection away.
    func isForcedOffline(_ slot: Int) -> Bool { illnesses[slot]?.offlineUntil != nil }

    /// Begins a fault, or makes one that is there end later.
    ///
    /// A device that starts again has lost what it was about: the command that it held, a hang, a slowness.
    ///
    /// - Parameter delay: How late a slow device is from now on; the newest counts.
    mutating func begin(_ fault: Fault, of slot: Int, until end: MonotonicTime, delay: Duration) {
        change(slot) { illness in
            switch fault {
            case .hang: illness.hangsUntil = max(end, illness.hangsUntil ?? end)
            case .offline: illness.offlineUntil = max(end, illness.offlineUntil ?? end)
            case .slow:
                illness.slowness = Slowness(until: max(end, illness.slowness?.until ?? end), delay: delay)
            case .reboot: illness = Illness(offlineUntil: max(end, illness.offlineUntil ?? end))
            case .flip, .reset, .crash: break
            }
        }
    }

    /// Ends a fault whose time has come; false when it was prolonged meanwhile.
    mutating func end(_ fault: Fault, of slot: Int, at now: MonotonicTime) -> Bool {
        var didEnd = false
        change(slot) { illness in
            switch fault {
            case .hang:
                guard let end = illness.hangsUntil, end <= now else { return }
                illness.hangsUntil = nil
            case .offline, .reboot:
                guard let end = illness.offlineUntil, end <= now else { return }
                illness.offlineUntil = nil
            case .slow:
                guard let slowness = illness.slowness, slowness.until <= now else { return }
                illness.slowness = nil
            case .flip, .reset, .crash: return
            }
            didEnd = true
        }
        return didEnd
    }

    /// What was wrong with a device that got well.
    struct Recovery: Equatable, Sendable {
        /// Its connection had been taken away.
        let wasOffline: Bool
    }

    /// Ends all that is wrong with a device; nil when nothing was.
    ///
    /// A command that it holds because it was slow is to be answered now.
    mutating func heal(_ slot: Int, at now: MonotonicTime) -> Recovery? {
        guard let illness = illnesses[slot], !illness.isWell else { return nil }
        var held = illness.held
        if illness.slowness != nil { held?.answerAt = now }
        illnesses[slot] = held.map { Illness(held: $0) }
        return Recovery(wasOffline: illness.offlineUntil != nil)
    }

    /// Keeps a command at a device that hangs, or takes its time; false when it is there already.
    ///
    /// A newer one takes the place of an older one: the controller sends it only after the older was settled.
    mutating func hold(_ held: HeldCommand, at slot: Int) -> Bool {
        guard illnesses[slot]?.held?.command.identity != held.command.identity else { return false }
        change(slot) { $0.held = held }
        return true
    }

    /// Takes the held command out, if it is to be answered now: when its time to live is over, or the device
    /// is ready and does not hang.
    mutating func releaseHeld(at slot: Int, now: MonotonicTime) -> HeldCommand? {
        guard let held = illnesses[slot]?.held else { return nil }
        guard held.expiresAt <= now || !isHanging(slot) && held.answerAt <= now else { return nil }
        change(slot) { $0.held = nil }
        return held
    }

    private mutating func change(_ slot: Int, _ body: (inout Illness) -> Void) {
        var illness = illnesses[slot] ?? Illness()
        body(&illness)
        illnesses[slot] = illness.isOver ? nil : illness
    }
}
