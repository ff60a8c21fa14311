import FleetProtocol
import Stepping

/// What happens to devices without a command: people, Wi-Fi, injected faults.
extension Node {
    mutating func scheduleScenario(at now: MonotonicTime) {
        scheduleNext(.handRemote, rate: configuration.scenario.handRemotesPerSecond, after: now)
        scheduleNext(.drop, rate: configuration.scenario.dropsPerSecond, after: now)
    }

    /// The devices' own events, added up over the node, are one stream of their joined rate.
    private mutating func scheduleNext(_ event: Event, rate: Double, after now: MonotonicTime) {
        guard rate > 0 else { return }
        let wait = generator.waitingTime(perSecond: rate * Double(devices.count))
        timers.set(event, at: now.advanced(by: wait))
    }

    mutating func useSomeHandRemote(at now: Moment, into effects: inout [Effect]) {
        scheduleNext(.handRemote, rate: configuration.scenario.handRemotesPerSecond, after: now.monotonic)
        let slot = Int.random(in: devices.indices, using: &generator)
        flip(slot, into: &effects)
    }

    mutating func dropSomeConnection(at now: Moment, into effects: inout [Effect]) {
        scheduleNext(.drop, rate: configuration.scenario.dropsPerSecond, after: now.monotonic)
        let slot = Int.random(in: devices.indices, using: &generator)
        guard devices[slot].connectivity == .established else { return }
        changeConnectivity(of: slot, at: now, into: &effects)
    }

    /// A device without a connection tries again, unless it has one meanwhile.
    mutating func reconnect(_ slot: Int, at now: Moment, into effects: inout [Effect]) {
        guard devices[slot].connectivity != .established else { return }
        changeConnectivity(of: slot, at: now, into: &effects)
    }

    /// Lets a device's connection go on to its next state, and on from there until it is established again.
    private mutating func changeConnectivity(of slot: Int, at now: Moment, into effects: inout [Effect]) {
        guard !faults.isForcedOffline(slot) else { return }
        let next = devices[slot].connectivity.next(using: &generator)
        setConnectivity(next, of: slot, into: &effects)
        guard next != .established else { return }
        let dwell = generator.waitingTime(perSecond: 1 / configuration.scenario.dwellSeconds)
        timers.set(.reconnect(slot: slot), at: now.monotonic.advanced(by: dwell))
    }

    mutating func beginFault(
        _ fault: Fault, of slot: Int, lasting duration: Duration, at now: Moment, into effects: inout [Effect]
    ) {
        switch fault {
        case .flip: return flip(slot, into: &effects)
        case .reset: return reset(slot, into: &effects)
        case .offline, .hang: break
        }
        let end = now.monotonic.advanced(by: duration)
        faults.begin(fault, of: slot, until: end)
        timers.set(.faultEnds(slot: slot, fault), at: end)
        if fault == .offline { setConnectivity(.error, of: slot, into: &effects) }
    }

    mutating func endFault(_ fault: Fault, of slot: Int, at now: Moment, into effects: inout [Effect]) {
        guard faults.end(fault, of: slot, at: now.monotonic) else { return }
        switch fault {
        case .offline: setConnectivity(.established, of: slot, into: &effects)
        case .hang: judgeHeld(slot, at: now, into: &effects)
        case .flip, .reset: break
        }
    }

    private mutating func flip(_ slot: Int, into effects: inout [Effect]) {
        devices[slot].flip()
        let isConnected = devices[slot].connectivity == .established
        if isConnected { renumber(slot) }
        remember(.hand, of: slot, into: &effects)
        // Without a connection nobody hears of it before the device is back, under that change's number.
        if isConnected { effects.append(.publish(row(of: slot))) }
    }

    /// A device forgets everything.
    ///
    /// Even one without a connection takes a number: within one number its rows compare by their version,
    /// and versions of two lives do not compare.
    private mutating func reset(_ slot: Int, into effects: inout [Effect]) {
        devices[slot].reset(incarnation: Incarnation(bits: incarnations.next()))
        renumber(slot)
        remember(.reset, of: slot, into: &effects)
        effects.append(.publish(row(of: slot)))
    }

    private mutating func setConnectivity(_ next: Connectivity, of slot: Int, into effects: inout [Effect]) {
        let wasConnected = devices[slot].connectivity == .established
        devices[slot].connectivity = next
        guard wasConnected != (next == .established) else { return }
        renumber(slot)
        effects.append(.publish(row(of: slot)))
    }
}
