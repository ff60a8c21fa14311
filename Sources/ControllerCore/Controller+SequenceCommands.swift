import FleetProtocol
import Stepping

/// Commands of sequences: each is a request like any other, whose id is kept before it is let in.
///
/// So after a restart it is known under which id a command may have been sent, and the journal says what
/// became of that: it is never sent under another.
extension Controller {
    /// Takes up what an earlier life has kept; called once, when open requests have been resumed.
    mutating func resumeSequences(at now: Moment) {
        if configuration.planted(.turnTakenTwice) { sequences.takeTurnsAgain(at: now.wall) }
        for key in sequences.live {
            forgetLostTurns(of: key, at: now)
            guard let (_, id) = sequences[key]?.current else { continue }
            let request = RequestKey(account: key.account, id: id)
            if let slot = requests.slot(of: request) {
                own(slot, by: key.id)
            } else if !configuration.recallsRequests {
                sequences.lose(request)
            }
            sequences.begin(key)
        }
        if sequences.hasWork { timers.set(.sequences, at: now.monotonic) }
    }

    /// Forgets the waiting commands of a sequence that is older than a loss: they may have been sent since,
    /// under unknown ids.
    private mutating func forgetLostTurns(of key: SequenceKey, at now: Moment) {
        guard let lost = ended.horizonOfAll, var run = sequences[key],
            run.forgetTurns(lostUpTo: lost, at: now.wall)
        else { return }
        sequences.put(run, of: key.account)
        untoldLoss.sequences.append(key)
        timers.set(.lossToTell, at: now.monotonic)
    }

    /// Lets in the commands whose turn was kept, and has another turn come for those whose turn was not.
    mutating func letInCommands(at now: Moment, into effects: inout Effects) {
        if configuration.planted(.turnNotKept) { sequences.skipTurn() }
        for key in sequences.takeReady() { letInCommand(of: key, at: now, into: &effects) }
        if sequences.hasWork { timers.set(.sequences, at: now.monotonic) }
    }

    private mutating func letInCommand(of key: SequenceKey, at now: Moment, into effects: inout Effects) {
        guard let run = sequences[key], let (command, id) = run.current else { return }
        let request = RequestKey(account: key.account, id: id)
        guard sequences.owner(of: request) == nil else {
            if run.report.state == .cancelling { takeBackCommand(of: key, at: now, into: &effects) }
            return
        }
        guard !isStorageFull else { return postpone(key, by: Limits.storageRetry, at: now.monotonic) }
        let content = RequestContent(device: command.device, kind: command.kind)
        if let entry = ended[request] {
            if entry.content == nil {
                _ = endMetTombstone(entry, of: request, by: content, at: now, into: &effects)
            }
            let isOurs = entry.content == nil || entry.content == content
            let end = isOurs ? SequenceEnd(of: entry.report.outcome, at: now.wall) : .taken(at: now.wall)
            return commandEnded(end, of: key, into: &effects)
        }
        guard requests.slot(of: request) == nil else {
            return commandEnded(.taken(at: now.wall), of: key, into: &effects)
        }
        if ended.mayBeUnread(id) { return postpone(key, by: Limits.recallRetry, at: now.monotonic) }
        guard ended.lag(of: request) == nil, !sequences.isLost(request) else {
            return commandEnded(SequenceEnd(.forgotten, at: now.wall), of: key, into: &effects)
        }
        guard run.report.state != .cancelling else {
            return commandEnded(SequenceEnd(.cancelled, at: now.wall), of: key, into: &effects)
        }
        guard
            let device = directory.device(command.device, of: key.account)
                ?? place(command.device, of: key.account, at: now)
        else {
            let refusal = refusal(ofUnnamed: command.device, account: key.account, at: now.monotonic)
            return refuseCommand(id, of: key, refusal, at: now, into: &effects)
        }
        if let refusal = objection(toDevice: device, account: key.account, at: now.monotonic) {
            return refuseCommand(id, of: key, refusal, at: now, into: &effects)
        }
        let slot = letIn(
            request, content, device, actor: run.report.author,
            patience: command.takes + Limits.longestPatience, waiters: Waiters(), at: now)
        own(slot, by: key.id)
        enterLane(slot, of: device, at: now, into: &effects)
    }

    /// What may pass is waited for, as long as anybody may wait; other refusals end the command.
    private mutating func refuseCommand(
        _ id: RequestID, of key: SequenceKey, _ refusal: Refusal, at now: Moment, into effects: inout Effects
    ) {
        let waited = min(id.time.duration(to: now.wall), startedAt.duration(to: now.monotonic))
        if let pause = refusal.pause, waited < Limits.longestPatience {
            return postpone(key, by: pause, at: now.monotonic)
        }
        commandEnded(SequenceEnd(.refused, refusal.why, at: now.wall), of: key, into: &effects)
    }

    private mutating func postpone(_ key: SequenceKey, by pause: Duration, at now: MonotonicTime) {
        let due = now.advanced(by: pause)
        sequences.postpone(key, until: due)
        timers.set(.sequences, at: due)
    }

    private mutating func own(_ slot: RequestSlot, by sequence: RequestID) {
        requests.update(slot) { $0.isOfSequence = true }
        sequences.own(requests[slot].key, by: sequence)
        if requests[slot].dispatch == nil { arm(slot, at: startDue(slot)) }
    }

    /// The command that runs is taken back by the rules of cancels; one that is not let in yet never is.
    mutating func takeBackCommand(of key: SequenceKey, at now: Moment, into effects: inout Effects) {
        guard let (_, id) = sequences[key]?.current else { return }
        let request = RequestKey(account: key.account, id: id)
        guard sequences.owner(of: request) != nil, let slot = requests.slot(of: request) else {
            // It may have been sent in an earlier life: what is known of that is looked up first.
            return sequences.begin(key)
        }
        takeBack(slot, at: now, into: &effects)
    }

    /// How long a device is busy with a request.
    @inline(__always)
    func takes(_ slot: RequestSlot) -> Duration {
        requests[slot].isOfSequence ? sequences.takes(requests[slot].key) : .zero
    }

    /// A request that is a command of a sequence has ended.
    mutating func settleCommand(
        _ request: RequestKey, _ outcome: Outcome, at now: Moment, into effects: inout Effects
    ) {
        guard let key = sequences.disown(request) else { return }
        commandEnded(SequenceEnd(of: outcome, at: now.wall), of: key, into: &effects)
    }

    private mutating func commandEnded(
        _ end: SequenceEnd, of key: SequenceKey, into effects: inout Effects
    ) {
        guard var run = sequences[key], run.current != nil else { return }
        run.commandEnded(end)
        keep(run, of: key.account, into: &effects)
        if run.current != nil { sequences.begin(key) }
    }
}

extension SequenceEnd {
    /// How a command ended whose request ended so.
    ///
    /// - Precondition: The outcome is final.
    fileprivate init(of outcome: Outcome, at now: WallTime) {
        switch outcome {
        case .applied: self.init(.applied, at: now)
        case .unchanged: self.init(.unchanged, at: now)
        case .conflict: self.init(.conflict, "the device was changed meanwhile", at: now)
        case .rejected(let why): self.init(.rejected, why, at: now)
        case .cancelled: self.init(.cancelled, at: now)
        case .expired: self.init(.expired, "its time was over before the device had done it", at: now)
        case .undetermined(let reason): self.init(.undetermined, reason.why, at: now)
        case .unknown: preconditionFailure("unknown is no end")
        }
    }

    /// Its request's id was somebody else's; nothing was done.
    fileprivate static func taken(at now: WallTime) -> SequenceEnd {
        SequenceEnd(.refused, "idMismatch: its request id was used for something else", at: now)
    }
}

extension Refusal {
    /// After what time it may be another; nil where it stays.
    fileprivate var pause: Duration? {
        switch self {
        case .busy(let pause), .storageFull(let pause): pause
        case .offline: Limits.beatInterval
        case .unauthenticated, .notFound, .invalid, .idMismatch, .idTooOld, .notAllowed, .offDuty: nil
        }
    }

    /// Its word, and what it means for a command of a sequence.
    fileprivate var why: String {
        switch self {
        case .offline: "\(name): the device could not be reached"
        case .busy: "\(name): the device had other commands to carry out"
        case .storageFull: "\(name): the controller's disk was full"
        case .notFound: "\(name): the account has no such device any more"
        case .invalid(let what), .notAllowed(let what): "\(name): \(what)"
        case .unauthenticated, .idMismatch, .idTooOld, .offDuty: name
        }
    }
}
