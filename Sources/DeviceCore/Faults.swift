import FleetProtocol
import Stepping

/// What is wrong with which devices of a node right now: a side table, for few devices are ill at a time.
struct Faults: Sendable {
    /// A command that a device has taken and not carried out yet.
    struct HeldCommand: Sendable {
        let command: DeviceCommand
        let epoch: Epoch
        let receivedAt: MonotonicTime
        /// When the device is ready to answer, unless it hangs.
        let answerAt: MonotonicTime

        /// When its time to live is over.
        var expiresAt: MonotonicTime { receivedAt.advanced(by: command.timeToLive) }
    }

    private struct Illness: Sendable {
        var hangsUntil: MonotonicTime?
        var offlineUntil: MonotonicTime?
        var held: HeldCommand?

        var isOver: Bool { hangsUntil == nil && offlineUntil == nil && held == nil }
    }

    private var illnesses: [Int: Illness] = [:]

    /// Whether the device takes commands without carrying them out.
    func isHanging(_ slot: Int) -> Bool { illnesses[slot]?.hangsUntil != nil }

    /// Whether somebody has taken the device's connection away.
    func isForcedOffline(_ slot: Int) -> Bool { illnesses[slot]?.offlineUntil != nil }

    /// Begins a fault, or makes one that is there end later.
    mutating func begin(_ fault: Fault, of slot: Int, until end: MonotonicTime) {
        change(slot) { illness in
            switch fault {
            case .hang: illness.hangsUntil = max(end, illness.hangsUntil ?? end)
            case .offline: illness.offlineUntil = max(end, illness.offlineUntil ?? end)
            case .flip, .reset: break
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
            case .offline:
                guard let end = illness.offlineUntil, end <= now else { return }
                illness.offlineUntil = nil
            case .flip, .reset: return
            }
            didEnd = true
        }
        return didEnd
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
