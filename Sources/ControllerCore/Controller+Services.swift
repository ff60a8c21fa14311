import FleetProtocol

extension Controller {
    mutating func deliverNotices(at now: Moment, into effects: inout Effects) {
        for notice in engine.drainNotices() {
            switch notice {
            case .nodeLost(let node):
                let (access, logbook) = (access, logbook(of: node.account))
                services.logbook.nodeIsLost(
                    node, in: logbook, hasUser: access.hasUser(logbook.id), at: now, into: &effects.changes)
            case .deviceRemoved(let device, let account):
                services.deviceIsRemoved(
                    device, from: account, id: engine.directory.accounts[Int(account)].id,
                    into: &effects.changes)
            case .undetermined(let end):
                let (access, id) = (access, engine.directory.accounts[Int(end.key.account)].id)
                let logbook = LogbookService.LogbookReference(
                    account: end.key.account, id: id, share: end.logbookShare)
                services.logbook.requestIsUndetermined(
                    end, in: logbook, hasUser: access.hasUser(id), at: now, into: &effects.changes)
            case .historyLost(let account, let lost):
                services.commandQueues.acceptLoss(
                    of: account, id: engine.directory.accounts[Int(account)].id, upTo: lost, at: now.wall,
                    into: &effects.changes)
            case .ended(let key, let outcome):
                services.commandQueues.ended(
                    key, outcome, accountID: engine.directory.accounts[Int(key.account)].id, at: now.wall,
                    into: &effects.changes)
            }
        }
    }

    private func logbook(of account: AccountIndex) -> LogbookService.LogbookReference {
        let directory = engine.directory
        return LogbookService.LogbookReference(
            account: account, id: directory.accounts[Int(account)].id,
            share: directory.share(of: account, in: .logbook))
    }
}

/// Submits the commands of command queues to the engine, and reports their ends to the queues.
extension Controller {
    /// Resumes the command queues of earlier runs, after the engine has resumed open requests.
    mutating func resumeCommandQueues(at now: Moment) {
        for key in services.commandQueues.live {
            if let lost = engine.ended.horizonOfAll {
                services.commandQueues.endLostCommands(of: key, lostUpTo: lost, at: now.wall)
            }
            guard let (command, request, _) = services.commandQueues.current(of: key) else { continue }
            if engine.resumeReporting(on: request, runningTime: command.takes) {
                services.commandQueues.submitted(request, of: key)
            } else if !configuration.restoresRequests {
                services.commandQueues.lose(request)
            }
            services.commandQueues.begin(key)
        }
    }

    /// Cancels the requests without a dispatch, and stops the command queues, of users who were removed or
    /// became viewers.
    ///
    /// Dispatched requests end normally, because a device may have carried them out. A restarted controller
    /// does the same before it dispatches: after a power failure the store may have a change of a user whose
    /// cancels the journal lacks.
    mutating func endWorkOfFormerUsers(at now: Moment, into effects: inout Effects) {
        access.mayHaveFormerUsers = false
        guard !configuration.planted(.workOutlivesUser) else { return }
        let (access, accounts) = (access, engine.directory.accounts.map(\.id))
        services.commandQueues.stop(at: now.wall, into: &effects.changes) { account, author in
            access.maySwitch(author, in: accounts[Int(account)]) ? nil : accounts[Int(account)]
        }
        engine.cancelWaiting(at: now, into: &effects) { !access.maySwitch($1, in: $0) }
    }

    mutating func submitCommands(at now: Moment, into effects: inout Effects) {
        guard let due = services.commandQueues.nextDue, due <= now.monotonic else { return }
        if services.commandQueues.hasUnstoredLosses { storeLosses(into: &effects) }
        for key in services.commandQueues.drainReady(at: now.monotonic) {
            // The queue goes on where the account will be.
            guard engine.directory.accounts[Int(key.account)].id != access.placement?.frozen else {
                postpone(key, by: Sessions.frozenRetry, at: now); continue
            }
            submitCommand(of: key, at: now, into: &effects)
        }
    }

    private mutating func storeLosses(into effects: inout Effects) {
        let directory = engine.directory
        services.commandQueues.storeLosses(
            accountID: { directory.accounts[Int($0)].id }, into: &effects.changes)
    }

    private mutating func submitCommand(of key: QueueKey, at now: Moment, into effects: inout Effects) {
        guard let (command, request, isCancelling) = services.commandQueues.current(of: key),
            let author = services.commandQueues.author(of: key)
        else { return }
        guard !services.commandQueues.isSubmitted(request) else {
            if isCancelling { cancelCommand(of: key, at: now, into: &effects) }
            return
        }
        guard !engine.isStorageFull else { return postpone(key, by: Limits.storageRetry, at: now) }
        let content = RequestContent(device: command.device, kind: command.kind)
        switch engine.find(request, content, at: now, into: &effects) {
        case .ended(let outcome): return end(key, QueuedOutcome(of: outcome, at: now.wall), into: &effects)
        case .idInUse: return end(key, .idInUse(at: now.wall), into: &effects)
        case .unread: return postpone(key, by: Limits.replayRetry, at: now)
        case .tooOld: return end(key, QueuedOutcome(.forgotten, at: now.wall), into: &effects)
        case .unknown: break
        }
        guard !services.commandQueues.isLost(request) else {
            return end(key, QueuedOutcome(.forgotten, at: now.wall), into: &effects)
        }
        guard !isCancelling else { return end(key, QueuedOutcome(.cancelled, at: now.wall), into: &effects) }
        let refusal = engine.submit(
            request, content, by: author, timeout: command.takes + Limits.longestTimeout,
            runningTime: command.takes, at: now, into: &effects)
        guard let refusal else { return services.commandQueues.submitted(request, of: key) }
        // A temporary refusal is retried for as long as a client may wait; other refusals end the command.
        let waited = min(request.id.time.duration(to: now.wall), engine.startedAt.duration(to: now.monotonic))
        if let pause = refusal.pause, waited < Limits.longestTimeout {
            return postpone(key, by: pause, at: now)
        }
        end(key, QueuedOutcome(.refused, refusal.why, at: now.wall), into: &effects)
    }

    /// Cancels the running command of a queue; a command that is not submitted is looked up first.
    mutating func cancelCommand(of key: QueueKey, at now: Moment, into effects: inout Effects) {
        guard let (_, request, _) = services.commandQueues.current(of: key) else { return }
        guard services.commandQueues.isSubmitted(request),
            engine.cancelForService(request, at: now, into: &effects)
        else {
            // An earlier run may have sent the command, so its outcome is looked up first.
            return services.commandQueues.begin(key)
        }
    }

    private mutating func postpone(_ key: QueueKey, by pause: Duration, at now: Moment) {
        services.commandQueues.postpone(key, until: now.monotonic.advanced(by: pause))
    }

    private mutating func end(_ key: QueueKey, _ end: QueuedOutcome, into effects: inout Effects) {
        services.commandQueues.end(
            key, end, accountID: engine.directory.accounts[Int(key.account)].id, into: &effects.changes)
    }
}
