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
