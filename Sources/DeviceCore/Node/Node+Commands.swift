import FleetProtocol

extension Node {
    /// Receives a command for a device, which judges it at once, or holds it if it hangs or has a latency.
    /// ``judgeHeld(_:at:into:)`` judges a held command, at the end of its time to live at the latest.
    mutating func receive(
        _ command: DeviceCommand, setting: SettingChange? = nil, epoch: Epoch, slot: Int, at now: Moment,
        into effects: inout [Effect]
    ) {
        let reception = faults.reception(at: slot)
        var latency = run.replyLatency() + reception.delay
        // The duration applies only once: not to a command that was already applied or cancelled.
        if command.takesMs > 0, devices[slot].isNew(command.identity) {
            // A command that takes at least its time to live is judged as expired at once.
            let isTooLate = command.takes >= command.timeToLive && !reception.isHanging
            if isTooLate, !faults.holds(command.identity, at: slot) {
                return judge(
                    command, setting: setting, epoch: epoch, age: command.timeToLive, deviceTime: .zero,
                    slot: slot, at: now, into: &effects)
            }
            latency += command.takes
        }
        guard latency > .zero || reception.isHanging else {
            return judge(
                command, setting: setting, epoch: epoch, age: .zero, deviceTime: .zero, slot: slot, at: now,
                into: &effects)
        }
        let held = Faults.HeldCommand(
            command: command, setting: setting, epoch: epoch, receivedAt: now.monotonic,
            resultAt: now.monotonic.advanced(by: latency))
        guard faults.hold(held, at: slot) else { return }
        timers.set(.heldDue(slot: slot), at: held.expiresAt)
        if held.resultAt < held.expiresAt { timers.set(.heldDue(slot: slot), at: held.resultAt) }
    }

    /// Judges a held command if it is due: the device is ready and does not hang, or the time to live is
    /// over.
    mutating func judgeHeld(_ slot: Int, at now: Moment, into effects: inout [Effect]) {
        guard let held = faults.releaseHeld(at: slot, now: now.monotonic) else { return }
        guard devices.isConnected(slot) else { return }
        let age = held.receivedAt.duration(to: now.monotonic)
        judge(
            held.command, setting: held.setting, epoch: held.epoch, age: age, deviceTime: age, slot: slot,
            at: now, into: &effects)
    }

    private mutating func judge(
        _ command: DeviceCommand, setting: SettingChange?, epoch: Epoch, age: Duration, deviceTime: Duration,
        slot: Int, at now: Moment, into effects: inout [Effect]
    ) {
        let before = devices[slot].memory.reported
        if let setting {
            let answer = judge(setting, of: command, epoch: epoch, age: age, slot: slot, at: now)
            return reply(
                answer, to: command.identity, before: before, isOfSettings: true, deviceTime: deviceTime,
                slot: slot,
                into: &effects)
        }
        let answer = devices[slot].judge(
            command, epoch: epoch, age: age, capabilities: population.capabilities(of: slot))
        reply(
            answer, to: command.identity, before: before, isCorrection: command.isCorrection,
            deviceTime: deviceTime,
            slot: slot, into: &effects)
    }

    /// Appends a memory entry, sends the result, and publishes a change: in that order. A command may concern
    /// the device's settings and not its state.
    mutating func reply(
        _ answer: Device.Decision, to identity: CommandIdentity, before: DeviceState,
        isCorrection: Bool = false, isOfSettings: Bool = false,
        deviceTime: Duration, slot: Int, into effects: inout [Effect]
    ) {
        let verdict = answer.judgement.verdict
        let didChange = before.version != devices[slot].memory.version
        if didChange { devices.renumber(slot) }
        if answer.isFresh {
            judged.record(identity.requestID)
            let used = MemoryEntry.Used(
                commandNumber: identity.commandNumber, requestID: identity.requestID, verdict: verdict)
            let mayChange = didChange && (isOfSettings || !settings.isEmpty)
            let updated = mayChange ? settingsToWrite(of: slot, from: before.state, isOfSettings) : nil
            remember(.command(used), of: slot, settings: updated, into: &effects)
            // Infrared is not acknowledged, so a state that the pod already assumes is sent again.
            if !isOfSettings, didChange || verdict == .unchanged {
                transmit(from: before.state, of: slot, isCorrection: isCorrection, into: &effects)
            }
        } else if answer.didRaiseEpoch {
            remember(.epoch, of: slot, into: &effects)
        }
        let row = row(of: slot)
        let judged = DeviceState(
            state: answer.judgement.state, version: answer.judgement.version,
            incarnation: row.reported.incarnation)
        send(
            .result(
                CommandResult(
                    commandNumber: identity.commandNumber, requestID: identity.requestID, verdict: verdict,
                    judged: judged, deviceUs: deviceTime.wholeMicroseconds, row: row)),
            into: &effects)
        if didChange { effects.append(.publish(row)) }
    }

    /// The settings to write into a command's memory entry; nil if the command did not change them.
    private mutating func settingsToWrite(
        of slot: Int, from before: ACState, _ isOfSettings: Bool
    ) -> DeviceSettings? {
        isOfSettings ? settings[slot] ?? DeviceSettings() : updateFilter(of: slot, from: before)
    }
}

/// Deeds of devices, as set by users: timers and schedules; and the running time of filters.
extension Node {
    /// Restores the settings of devices from the node's memory, and arms their next deeds.
    ///
    /// Overdue deeds run in the first turn, in order of their due times; of a schedule's missed times, only
    /// the last. The filter's running time includes the downtime. If the simulated clock is another one, as
    /// after a restart of the fleet, schedules first move to their next times by that clock.
    mutating func restore(_ memory: NodeMemory, at now: Moment) {
        timers.set(.restored, at: now.monotonic)
        for (slot, device) in devices.ids.enumerated() {
            guard let known = memory.settings(of: device) ?? settings[slot] else { continue }
            settings.set(known, of: slot)
            _ = settings.updateFilter(of: slot, at: now.wall, secondsPerSecond: pace(of: slot))
            armAction(of: slot, at: now)
        }
    }

    private mutating func judge(
        _ setting: SettingChange, of command: DeviceCommand, epoch: Epoch, age: Duration, slot: Int,
        at now: Moment
    ) -> Device.Decision {
        let group = population.group(of: slot)
        let grounds = SettingGrounds(
            settings: settings[slot] ?? DeviceSettings(),
            usualReact: group.climateReact.map(ClimateReact.init(_:)), state: devices[slot].memory.state,
            model: group.model, capabilities: population.capabilities(of: slot), now: now.wall,
            clock: run.clock, zones: configuration.zones)
        let decision = grounds.decision(on: setting)
        let before = devices[slot].memory.version
        let answer = devices[slot].judge(command, epoch: epoch, age: age, deciding: decision)
        if case .changed(let wanted) = decision, before != devices[slot].memory.version {
            settings.set(wanted, of: slot)
            armAction(of: slot, at: now)
        }
        return answer
    }

    /// Updates the filter's running time after the air conditioner was switched on or off. Returns the
    /// settings to write into the memory entry; nil if they did not change.
    mutating func updateFilter(of slot: Int, from before: ACState) -> DeviceSettings? {
        guard !settings.isEmpty, before.isOn != devices[slot].memory.state.isOn else { return nil }
        return settings.updateFilter(of: slot, at: wall, secondsPerSecond: pace(of: slot))
    }

    /// Updates schedules, and the filters of running air conditioners, after a change of the simulated clock.
    mutating func followClock(at now: Moment, into effects: inout [Effect]) {
        for slot in settings.slots where slot < devices.count {
            guard let known = settings[slot] else { continue }
            var updated = known.following(run.clock, at: now.wall, zones: configuration.zones)
            updated.filter = known.filter?.updated(at: now.wall, secondsPerSecond: pace(of: slot))
            guard
                updated.schedules != known.schedules
                    || updated.filter?.secondsPerSecond != known.filter?.secondsPerSecond
            else { continue }
            settings.set(updated, of: slot)
            armAction(of: slot, at: now)
            devices.renumber(slot)
            remember(.settings, of: slot, settings: updated, into: &effects)
            effects.append(.publish(row(of: slot)))
        }
    }

    /// Runs a device's next deed if it is due, and writes one memory entry with the new state and settings. A
    /// timer is removed, and a schedule advances to its next time. If the capabilities do not allow the
    /// change in the current state, the state remains unchanged.
    mutating func actionDue(_ slot: Int, _ due: MonotonicTime, at now: Moment, into effects: inout [Effect]) {
        let (clock, zones) = (run.clock, configuration.zones)
        guard settings.isAction(of: slot, dueAt: due),
            let known = settings[slot]?.caughtUp(at: now.wall, by: clock, zones: zones),
            let action = known.nextAction
        else { return }
        // The wall clock may have been set back since the timer was armed on the monotonic clock.
        guard action.due <= now.wall else { return armAction(of: slot, at: now) }
        let before = devices[slot].memory.state
        let isAllowed = population.capabilities(of: slot).objection(to: action.change, of: before) == nil
        devices[slot].act(to: isAllowed ? before.applying(action.change) : before, by: action.cause)
        if !configuration.planted(.timerNotRemoved) {
            settings.set(known.updated(after: action, at: now.wall, by: clock, zones: zones), of: slot)
            armAction(of: slot, at: now)
        }
        _ = updateFilter(of: slot, from: before)
        publishChange(of: slot, settings: settings[slot] ?? DeviceSettings(), into: &effects)
        if before != devices[slot].memory.state { transmit(from: before, of: slot, into: &effects) }
    }

    /// Writes a change without a command to memory, and publishes it if the device is connected. A
    /// disconnected device's change is published when the device reconnects, under that change number.
    mutating func publishChange(of slot: Int, settings: DeviceSettings?, into effects: inout [Effect]) {
        let isConnected = devices.isConnected(slot)
        if isConnected { devices.renumber(slot) }
        remember(.change, of: slot, settings: settings, into: &effects)
        if isConnected { effects.append(.publish(row(of: slot))) }
    }

    private mutating func armAction(of slot: Int, at now: Moment) {
        guard let due = settings.armAction(of: slot, at: now) else { return }
        timers.set(.actionDue(slot: slot, due), at: due)
    }

    /// The simulated seconds for which a device's air conditioner runs in a real second; 0 while it is off.
    private func pace(of slot: Int) -> Double { devices[slot].memory.state.isOn ? run.speed : 0 }
}
