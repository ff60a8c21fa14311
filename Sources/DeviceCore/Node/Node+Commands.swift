import FleetProtocol
import Stepping

extension Node {
    /// A command arrives at a device: it is judged once the device has taken the time that it takes, is ready
    /// to answer and does not hang, and when its time is up.
    mutating func receive(
        _ command: DeviceCommand, setting: SettingChange? = nil, epoch: Epoch, slot: Int, at now: Moment,
        into effects: inout [Effect]
    ) {
        let reception = faults.reception(at: slot)
        var latency = configuration.scenario.answer.drawn(using: &signalChance) + reception.delay
        // What has been carried out, or taken back, takes no time again.
        if command.takesMs > 0, devices[slot].isNew(command.identity) {
            // And what cannot be done in time is not begun.
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
            answerAt: now.monotonic.advanced(by: latency))
        guard faults.hold(held, at: slot) else { return }
        timers.set(.heldDue(slot: slot), at: held.expiresAt)
        if held.answerAt < held.expiresAt { timers.set(.heldDue(slot: slot), at: held.answerAt) }
    }

    /// A held command may be due: the device is ready, has stopped hanging, or the command's time is up.
    mutating func judgeHeld(_ slot: Int, at now: Moment, into effects: inout [Effect]) {
        guard let held = faults.releaseHeld(at: slot, now: now.monotonic) else { return }
        guard devices[slot].connectivity == .established else { return }
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
            command, epoch: epoch, age: age, capabilities: capabilities[group(of: slot)])
        reply(
            answer, to: command.identity, before: before, isCorrection: command.isCorrection,
            deviceTime: deviceTime,
            slot: slot, into: &effects)
    }

    /// Remembers what was used, answers, and publishes what changed: in that order.
    ///
    /// - Parameters:
    ///   - before: What the device was at before it judged.
    ///   - isOfSettings: Whether the state is as it was, whatever has changed.
    mutating func reply(
        _ answer: Device.Answer, to identity: CommandIdentity, before: DeviceState,
        isCorrection: Bool = false, isOfSettings: Bool = false,
        deviceTime: Duration, slot: Int, into effects: inout [Effect]
    ) {
        let verdict = answer.judgement.verdict
        let didChange = before.version != devices[slot].memory.version
        if didChange { renumber(slot) }
        if answer.isFresh {
            let used = MemoryEntry.Used(
                sequence: identity.sequence, requestID: identity.requestID, verdict: verdict)
            let mayLeave = didChange && (isOfSettings || !settings.isEmpty)
            let left = mayLeave ? settingsLeft(of: slot, from: before.state, isOfSettings) : nil
            remember(.command(used), of: slot, settings: left, into: &effects)
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
                    sequence: identity.sequence, requestID: identity.requestID, verdict: verdict,
                    judged: judged, deviceUs: deviceTime.wholeMicroseconds, row: row)),
            into: &effects)
        if didChange { effects.append(.publish(row)) }
    }

    /// What is to be remembered of a device's settings after a command changed it; nil where they have not.
    private mutating func settingsLeft(
        of slot: Int, from before: ACState, _ isOfSettings: Bool
    ) -> DeviceSettings? {
        isOfSettings ? settings[slot] ?? DeviceSettings() : settingsNoted(of: slot, from: before)
    }

    /// Gives a device's newest change its number.
    mutating func renumber(_ slot: Int) {
        lastNumber = lastNumber.next
        devices[slot].number = lastNumber
    }
}

/// What devices do by themselves because users have set them to: timers run out, the times of schedules come,
/// filters are counted.
extension Node {
    /// Takes what devices were set to in earlier lives of the process.
    ///
    /// What was due meanwhile is done at the first turn, in the order in which it was due, and what ran
    /// meanwhile counts.
    mutating func recall(_ memory: NodeMemory, at now: Moment) {
        for (slot, device) in ids.enumerated() {
            guard var known = memory.settings(of: device) else { continue }
            known.filter = known.filter?.noted(at: now.wall, secondsPerSecond: pace(of: slot))
            settings.set(known, of: slot)
            armDeed(of: slot, at: now)
        }
    }

    /// Judges a command that changes settings.
    mutating func judge(
        _ setting: SettingChange, of command: DeviceCommand, epoch: Epoch, age: Duration, slot: Int,
        at now: Moment
    ) -> Device.Answer {
        let group = configuration.scenario.population.groups[group(of: slot)]
        let grounds = SettingGrounds(
            settings: settings[slot] ?? DeviceSettings(),
            usualReact: group.climateReact.map(ClimateReact.init(_:)), state: devices[slot].memory.state,
            model: group.model, capabilities: capabilities[self.group(of: slot)], now: now.wall,
            speed: configuration.scenario.clock.speed, zones: configuration.zones)
        let decision = grounds.decision(on: setting)
        let before = devices[slot].memory.version
        let answer = devices[slot].judge(command, epoch: epoch, age: age, deciding: decision)
        if case .changed(let wanted) = decision, before != devices[slot].memory.version {
            settings.set(wanted, of: slot)
            armDeed(of: slot, at: now)
        }
        return answer
    }

    /// What is to be remembered of a device's settings because its state has changed; nil where they are as
    /// they were.
    ///
    /// An air conditioner that begins or ceases to run has its count noted.
    mutating func settingsNoted(of slot: Int, from before: ACState) -> DeviceSettings? {
        guard !settings.isEmpty, var noted = settings[slot], let filter = noted.filter,
            before.isOn != devices[slot].memory.state.isOn
        else { return nil }
        noted.filter = filter.noted(at: wall, secondsPerSecond: pace(of: slot))
        settings.set(noted, of: slot)
        return noted
    }

    /// The simulated clock goes at another speed: so do the counts of those that run.
    mutating func repaceFilters(into effects: inout [Effect]) {
        for slot in settings.slots where slot < hosted {
            guard var noted = settings[slot], let filter = noted.filter,
                filter.secondsPerSecond != pace(of: slot)
            else { continue }
            noted.filter = filter.noted(at: wall, secondsPerSecond: pace(of: slot))
            settings.set(noted, of: slot)
            renumber(slot)
            remember(.settings, of: slot, settings: noted, into: &effects)
            effects.append(.publish(row(of: slot)))
        }
    }

    /// A device's next deed may be due: a timer that has run out is gone, and a schedule goes on with its
    /// next time; what was done and what is left are one entry of its memory.
    ///
    /// A device that cannot be set so any more, because of what somebody has set meanwhile, stays as it is.
    mutating func deedDue(_ slot: Int, _ due: MonotonicTime, at now: Moment, into effects: inout [Effect]) {
        let (speed, zones) = (configuration.scenario.clock.speed, configuration.zones)
        guard settings.isDeed(of: slot, dueAt: due),
            let known = settings[slot]?.caughtUp(at: now.wall, speed: speed, zones: zones),
            let deed = known.nextDeed
        else { return }
        // The two clocks are not one: somebody may have set the one that people read.
        guard deed.due <= now.wall else { return armDeed(of: slot, at: now) }
        let before = devices[slot].memory.state
        let isAllowed = capabilities[group(of: slot)].objection(to: deed.change, of: before) == nil
        devices[slot].act(to: isAllowed ? before.applying(deed.change) : before, by: deed.cause)
        if !configuration.planted(.timerKept) {
            settings.set(known.left(after: deed, at: now.wall, speed: speed, zones: zones), of: slot)
            armDeed(of: slot, at: now)
        }
        _ = settingsNoted(of: slot, from: before)
        tellChange(of: slot, settings: settings[slot] ?? DeviceSettings(), into: &effects)
        if before != devices[slot].memory.state { transmit(from: before, of: slot, into: &effects) }
    }

    /// Remembers and tells what a device has done without a command.
    ///
    /// Without a connection nobody hears of it before the device is back, under that change's number.
    mutating func tellChange(of slot: Int, settings: DeviceSettings?, into effects: inout [Effect]) {
        let isConnected = devices[slot].connectivity == .established
        if isConnected { renumber(slot) }
        remember(.change, of: slot, settings: settings, into: &effects)
        if isConnected { effects.append(.publish(row(of: slot))) }
    }

    private mutating func armDeed(of slot: Int, at now: Moment) {
        guard let deed = settings[slot]?.nextDeed else { return }
        let due = now.monotonic.advanced(by: max(.zero, now.wall.duration(to: deed.due)))
        settings.setDeed(of: slot, at: due)
        timers.set(.deedDue(slot: slot, due), at: due)
    }

    /// How many simulated seconds a device's air conditioner runs in a real one.
    private func pace(of slot: Int) -> Double {
        devices[slot].memory.state.isOn ? configuration.scenario.clock.speed : 0
    }
}
