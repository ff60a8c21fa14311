import FleetProtocol
import Stepping

/// Routes the requests of clients to access control, to the engine and to account services.
extension Controller {
    mutating func heardClient(
        _ request: ClientRequest, from waiter: Waiter, digest: TokenDigest?, at now: Moment,
        into effects: inout Effects
    ) {
        let body = request.body
        if case .login(let email, let password, let source) = body {
            access.enqueue(.session, email, password, from: waiter, source, at: now, into: &effects)
            return armLogins()
        }
        if case .wayIn(let request) = body {
            access.handle(request, from: waiter, digest: digest, in: directory, at: now, into: &effects)
            return armLogins()
        }
        guard let digest,
            let entry = access.authenticate(
                digest, isUnattended: request.isUnattended, at: now.wall, into: &effects)
        else { return refuse(.unauthenticated, to: waiter, into: &effects) }
        if let scope = entry.scope, let refusal = scope.refusal(of: body) {
            return refuse(refusal, to: waiter, into: &effects)
        }
        switch body {
        case .login, .wayIn: preconditionFailure("\(body) needs no session and was answered above")
        case .logout(let everywhere):
            access.logout(
                digest, of: entry.session.email, everywhere: everywhere, waiter: waiter, into: &effects)
        case .command(let command):
            if let refusal = entry.session.viewerRefusal {
                return refuse(refusal, to: waiter, into: &effects)
            }
            admit(command, entry: entry, waiter: waiter, at: now, into: &effects)
        case .cancel(let id, let patience):
            if let refusal = entry.session.viewerRefusal {
                return refuse(refusal, to: waiter, into: &effects)
            }
            cancel(id, patience: patience, entry: entry, waiter: waiter, at: now, into: &effects)
        case .outcome(let id):
            tellOutcome(RequestKey(account: entry.account, id: id), to: waiter, at: now, into: &effects)
        case .snapshot(let cursor, let end):
            let chunk = snapshot(of: entry.account, from: cursor, to: end, at: now)
            reply(.snapshot(chunk), to: waiter, into: &effects)
        case .status:
            reply(.status(status(of: entry.account, at: now.monotonic)), to: waiter, into: &effects)
        case .history(let back, let cursor):
            let chunk = history(of: entry.account, back: back, from: cursor, at: now)
            reply(.history(chunk), to: waiter, into: &effects)
        case .inject, .heal, .scenario, .retire, .faults:
            order(body, entry: entry, waiter: waiter, at: now, into: &effects)
        case .users: handle(.list, from: entry, as: digest, waiter: waiter, into: &effects)
        case .addUser(let user, let password):
            handle(.add(user, password), from: entry, as: digest, waiter: waiter, into: &effects)
        case .removeUser(let email):
            handle(.remove(email), from: entry, as: digest, waiter: waiter, into: &effects)
        case .changePassword(let email, let password, let keepsKeys):
            handle(
                .changePassword(email, password, keepsKeys: keepsKeys), from: entry, as: digest,
                waiter: waiter, into: &effects)
        case .changeRole(let email, let role):
            handle(.changeRole(email, role), from: entry, as: digest, waiter: waiter, into: &effects)
        case .keys: access.handle(.list, from: entry, waiter: waiter, at: now.wall, into: &effects)
        case .addKey(let name, let digest, let scope):
            access.handle(
                .add(name, digest, scope), from: entry, waiter: waiter, at: now.wall, into: &effects)
        case .revokeKey(let name):
            access.handle(.revoke(name), from: entry, waiter: waiter, at: now.wall, into: &effects)
        case .who: reply(.who(entry.session), to: waiter, into: &effects)
        case .streamTicket: preconditionFailure("a request for a ticket comes with a fresh token")
        case .counters(let cursor):
            reply(.counters(counters(of: entry.account, from: cursor)), to: waiter, into: &effects)
        case .posts(let pull): handle(.posts(pull), from: entry, waiter: waiter, at: now, into: &effects)
        case .post(let number): handle(.post(number), from: entry, waiter: waiter, at: now, into: &effects)
        case .comments(let post, let after):
            handle(.comments(post, after: after), from: entry, waiter: waiter, at: now, into: &effects)
        case .authors(let after):
            handle(.authors(after: after), from: entry, waiter: waiter, at: now, into: &effects)
        case .addPost(let draft):
            handle(.addPost(draft), from: entry, waiter: waiter, at: now, into: &effects)
        case .addComment(let draft):
            handle(.addComment(draft), from: entry, waiter: waiter, at: now, into: &effects)
        case .editPost(let edit):
            handle(.editPost(edit), from: entry, waiter: waiter, at: now, into: &effects)
        case .removePost(let number):
            handle(.removePost(number), from: entry, waiter: waiter, at: now, into: &effects)
        case .sites(let request):
            let context = serviceContext(for: entry, at: now)
            let body = services.sites.handle(request, in: context, into: &effects.changes)
            reply(body, to: waiter, into: &effects)
        case .roster(let request):
            let context = serviceContext(for: entry, at: now)
            let body = services.rosters.handle(
                request, isEnforced: configuration.isOnDutyOnly,
                isMember: { [access] in access.isMember($0, of: entry.session.account) }, in: context,
                into: &effects.changes)
            reply(body, to: waiter, into: &effects)
        case .sequences(let request):
            heardSequences(request, entry: entry, waiter: waiter, at: now, into: &effects)
        }
    }

    private mutating func handle(
        _ request: UserRequest, from caller: Sessions.Entry, as token: TokenDigest, waiter: Waiter,
        into effects: inout Effects
    ) {
        access.handle(request, from: caller, as: token, waiter: waiter, in: directory, into: &effects)
    }

    private mutating func handle(
        _ request: LogbookRequest, from caller: Sessions.Entry, waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        let context = serviceContext(for: caller, at: now)
        let body = services.logbook.handle(request, in: context, into: &effects.changes)
        reply(body, to: waiter, into: &effects)
    }

    /// What an account service reads while it handles a request.
    private func serviceContext(for caller: Sessions.Entry, at now: Moment) -> ServiceContext {
        ServiceContext(
            caller: caller, directory: directory, epoch: epoch, now: now, startedAt: startedAt,
            isStorageFull: isStorageFull)
    }

    /// Why a user may not change command queues now: a viewer's role, or a full disk.
    func objection(toChangesBy session: Session) -> Refusal? {
        session.viewerRefusal ?? (isStorageFull ? .storageFull(retryAfter: Limits.storageRetry) : nil)
    }

    private func status(of account: AccountIndex, at now: MonotonicTime) -> StatusReport {
        var report = StatusReport(
            epoch: epoch, togglesPerSecond: Double(meter.endedPerSecond), pending: UInt32(requests.count),
            loopLagUs: meter.longestTurn.wholeMicroseconds)
        for node in directory.nodes where node.account == account && node.kind == .node {
            report.devices += node.devices
            switch node.presence.kind {
            case .online: report.online += node.connectedDevices
            case .stale: report.stale += node.connectedDevices
            case .offline: report.offline += node.devices
            case .unknown: report.unknown += node.devices
            }
            guard node.isReachable else { continue }
            report.disconnected += node.devices - node.connectedDevices
            report.offline += node.devices - node.connectedDevices
        }
        let awaited = UInt32(directory.awaited.count(of: account))
        report.devices += awaited
        if isSettling(account, at: now) { report.unknown += awaited } else { report.offline += awaited }
        return report
    }

    /// Whether a device that is not known may still be announced.
    func isSettling(_ account: AccountIndex, at now: MonotonicTime) -> Bool {
        directory.isSettling(account, startedAt: startedAt, at: now)
    }
}
