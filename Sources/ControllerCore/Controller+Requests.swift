import FleetProtocol

struct Call {
    let caller: Sessions.Entry
    let token: TokenDigest
    let waiter: Waiter
    let now: Moment
}

/// Routes the requests of clients to access control, to the engine and to account services.
extension Controller {
    mutating func handle(
        _ request: ClientRequest, from waiter: Waiter, digest: TokenDigest?, at now: Moment,
        into effects: inout Effects
    ) {
        if case .login(let email, let password, let source) = request.body {
            if let refusal = access.refusal(ofUnchecked: email) { return effects.refuse(refusal, to: waiter) }
            return access.enqueue(.session, email, password, from: waiter, source, at: now, into: &effects)
        }
        if case .selfService(let selfService) = request.body {
            return access.handle(
                selfService, from: waiter, digest: digest, in: engine.directory, at: now, into: &effects)
        }
        guard let digest,
            let place = access.authenticate(
                digest, isUnattended: request.isUnattended, at: now.wall, into: &effects)
        else {
            guard handleCell(request.body, digest: digest, from: waiter, at: now, into: &effects) else {
                return effects.refuse(access.refusal(ofUnknown: digest), to: waiter)
            }
            return
        }
        if let refusal = access.sessions[place].refusal(of: request.body) {
            return effects.refuse(refusal, to: waiter)
        }
        // Speed: see performance.md, "copies".
        if case .command(let command) = request.body {
            if let refusal = access.sessions[place].session.viewerRefusal {
                return effects.refuse(refusal, to: waiter)
            }
            let policy = configuration.isOnDutyOnly ? policy(for: access.sessions[place], at: now) : .open
            return engine.admit(
                command, of: access.sessions[place].account, by: access.sessions[place].session.email,
                policy: policy, waiter: waiter, at: now, into: &effects)
        }
        let caller = access.sessions[place]
        route(request.body, Call(caller: caller, token: digest, waiter: waiter, now: now), into: &effects)
    }

    @inline(never)
    private mutating func route(_ body: ClientRequest.Body, _ call: Call, into effects: inout Effects) {
        let (account, waiter, now) = (call.caller.account, call.waiter, call.now)
        switch body {
        case .login, .selfService, .command: preconditionFailure("\(body) is handled elsewhere")
        case .streamTicket: preconditionFailure("a ticket request must arrive with a fresh token")
        case .cancel(let id, let timeout): cancel(id, timeout, call, into: &effects)
        case .outcome(let id):
            engine.sendOutcome(RequestKey(account: account, id: id), to: waiter, at: now, into: &effects)
        case .snapshot(let cursor, let end):
            effects.reply(.snapshot(engine.snapshot(of: account, from: cursor, to: end, at: now)), to: waiter)
        case .status: effects.reply(.status(engine.status(of: account, at: now.monotonic)), to: waiter)
        case .history(let back, let cursor):
            effects.reply(
                .history(engine.history(of: account, back: back, from: cursor, at: now)), to: waiter)
        case .counters(let cursor):
            effects.reply(.counters(engine.counters(of: account, from: cursor)), to: waiter)
        case .inject(let fault, let devices, let duration, let delay):
            order(.inject(fault, devices, duration, delay), call, into: &effects)
        case .heal(let devices): order(.heal(devices), call, into: &effects)
        case .scenario(let scenario, let beganAt):
            order(.scenario(scenario, beganAt: beganAt), call, into: &effects)
        case .retire(let devices): order(.retire(devices), call, into: &effects)
        case .faults: order(.faults, call, into: &effects)
        case .who:
            effects.reply(.who(access.shown(call.caller.session, with: call.caller.apiKey)), to: waiter)
        case .logout(let everywhere):
            access.logout(
                call.token, of: call.caller.session.email, everywhere: everywhere, waiter: waiter,
                into: &effects)
        case .users: manage(UserRequest.list, call, into: &effects)
        case .addUser(let user, let password): manage(.add(user, password), call, into: &effects)
        case .removeUser(let email): manage(.remove(email), call, into: &effects)
        case .changePassword(let email, let password, let retainsKeys):
            manage(.changePassword(email, password, retainsKeys: retainsKeys), call, into: &effects)
        case .changeRole(let email, let role): manage(.changeRole(email, role), call, into: &effects)
        case .keys: manage(KeyRequest.list, call, into: &effects)
        case .addKey(let name, let digest, let scope):
            manage(.add(name, digest, scope), call, into: &effects)
        case .revokeKey(let name): manage(.revoke(name), call, into: &effects)
        case .service(let message): serve(message, call, into: &effects)
        }
    }

    // MARK: Engine

    /// Whether the caller may switch devices now.
    @inline(__always)
    private func policy(for caller: Sessions.Entry, at now: Moment) -> AdmissionPolicy {
        guard configuration.isOnDutyOnly else { return .open }
        return AdmissionPolicy(refusal: services.rosters.objection(toDutyOf: caller, at: now.wall))
    }

    private mutating func cancel(
        _ id: RequestID, _ timeout: Duration?, _ call: Call, into effects: inout Effects
    ) {
        let email = call.caller.session.email
        if let refusal = call.caller.session.viewerRefusal {
            return effects.refuse(refusal, to: call.waiter)
        }
        let key = RequestKey(account: call.caller.account, id: id)
        let policy = policy(for: call.caller, at: call.now)
        let author = policy.refusal == nil ? nil : services.commandQueues.author(of: key)
        engine.cancel(
            key, by: email, timeout: timeout, policy: policy,
            isForeignCommand: author.map { $0 != email } ?? false, waiter: call.waiter, at: call.now,
            into: &effects)
    }

    private mutating func order(_ order: NodeOrder, _ call: Call, into effects: inout Effects) {
        guard call.caller.session.isOperator else {
            return effects.refuse(.notAllowed("only operators can change the fleet"), to: call.waiter)
        }
        engine.carryOut(order, of: call.caller.account, waiter: call.waiter, at: call.now, into: &effects)
    }

    // MARK: Access control

    private mutating func manage(_ request: UserRequest, _ call: Call, into effects: inout Effects) {
        access.handle(
            request, from: call.caller, as: call.token, waiter: call.waiter, in: engine.directory,
            into: &effects)
        if access.mayHaveFormerUsers { endWorkOfFormerUsers(at: call.now, into: &effects) }
    }

    private mutating func manage(_ request: KeyRequest, _ call: Call, into effects: inout Effects) {
        access.handle(request, from: call.caller, waiter: call.waiter, at: call.now.wall, into: &effects)
    }

    // MARK: Account services

    private mutating func serve(_ message: ServiceMessage, _ call: Call, into effects: inout Effects) {
        var output = ServiceOutput()
        var reply = services.handle(message, in: context(of: call), into: &output)
        effects.changes += output.changes
        if let key = services.commandQueues.popCancelled() {
            cancelCommand(of: key, at: call.now, into: &effects)
            // The reply reports what the cancel has ended.
            if engine.hasNotices { deliverNotices(at: call.now, into: &effects) }
            reply = CommandQueueService.body(of: services.commandQueues.report(of: key))
        }
        for update in output.updates {
            engine.fleet.publish(.service(update), to: call.caller.account, at: call.now, into: &effects)
        }
        effects.reply(reply, to: call.waiter)
    }

    private func context(of call: Call) -> ServiceContext {
        ServiceContext(
            caller: call.caller, directory: engine.directory, epoch: engine.epoch, now: call.now,
            startedAt: engine.startedAt, isStorageFull: engine.isStorageFull,
            isOnDutyOnly: configuration.isOnDutyOnly, policy: policy(for: call.caller, at: call.now),
            history: RequestHistory(
                aged: engine.ended.ages.shown, retention: configuration.retention.longest,
                lostUpTo: engine.ended.horizonOfAll),
            isMember: { [access] in access.isMember($0, of: call.caller.session.account) })
    }
}
