import FleetProtocol

extension Controller {
    /// Why a request of a user without a session is refused: the user may be in another cell.
    func refusal(ofStranger body: ClientRequest.Body) -> Refusal? {
        guard let cells = access.cells else { return nil }
        switch body {
        case .login(let email, _, _), .selfService(.signUp(let email, _, _)),
            .selfService(.forgotPassword(let email, _)):
            if let refusal = access.refusal(ofFrozen: email) { return refusal }
            let refusal = cells.refusal(of: email, isKnown: access.users[email] != nil)
            // While a directory is missing, the reply waits as long as that to a user who is known here.
            return refusal?.retryAfter == nil ? refusal : nil
        default: return nil
        }
    }

    /// Handles a request whose token is not that of a session; returns false if it is not a cell's either.
    mutating func handleCell(
        _ body: ClientRequest.Body, digest: TokenDigest?, from waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) -> Bool {
        guard let cells = access.cells, cells.admits(digest) else { return false }
        do throws(WireError) {
            guard case .service(let message) = body, let request = try message.request(as: CellRequest.self)
            else { throw .malformed("body", "a request of service cells") }
            handle(request, of: cells, from: waiter, at: now, into: &effects)
        } catch {
            effects.refuse(.invalid(error.description), to: waiter)
        }
        return true
    }

    private mutating func handle(
        _ request: CellRequest, of cells: Cells, from waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) {
        let reply: CellReply
        switch request {
        case .pull(let pull):
            guard let page = access.cells?.page(for: pull, at: now.monotonic) else { return }
            reply = .page(page)
        case .status: reply = .status(cellStatus(of: cells, at: now.monotonic))
        case .accounts(let last): reply = .accounts(accounts(after: last, at: now.monotonic))
        case .create(let creation):
            makeRoom(for: creation.account)
            return access.create(creation, for: waiter, in: &engine.directory, into: &effects)
        case .move(let order): return move(order, waiter: waiter, at: now, into: &effects)
        case .offer(let offer): reply = receive(offer, at: now)
        case .content(let query): reply = content(for: query, at: now, into: &effects)
        case .commit(let move): reply = commit(move, into: &effects)
        }
        effects.reply(reply, to: waiter)
    }

    mutating func receive(
        _ reply: CellReply, from cell: CellName, correlation: UInt64, at now: Moment,
        into effects: inout Effects
    ) {
        guard access.cells?.hasSent(correlation) ?? false else { return }
        switch reply {
        case .page(let page):
            access.cells?.receive(
                page, from: cell, correlation: correlation, at: now.monotonic, into: &effects)
            access.settleAdditions(at: now, into: &effects)
        case .moveStatus(let status) where cell == status.move.target || cell == status.move.source:
            receive(status, from: cell, at: now, into: &effects)
        case .content(let content) where cell == content.move.source:
            receive(content, at: now, into: &effects)
        case .moveStatus, .content: break
        case .status, .accounts, .created, .moved: break
        }
    }

    private func cellStatus(of cells: Cells, at now: MonotonicTime) -> CellStatus {
        let accounts = access.usersByAccount
        var (devices, online) = (UInt32(0), UInt32(0))
        for account in accounts.keys {
            guard let index = engine.directory.account(account) else { continue }
            let status = engine.status(of: index, at: now)
            (devices, online) = (devices + status.devices, online + status.online)
        }
        return CellStatus(
            cell: cells.own, epoch: engine.epoch, accounts: UInt32(accounts.count),
            users: UInt32(access.users.count), devices: devices, online: online,
            others: cells.knowledge(at: now), conflicts: UInt32(clamping: cells.conflicts))
    }

    private func accounts(after last: AccountID?, at now: MonotonicTime) -> AccountPage {
        let counts = access.usersByAccount
        let names = counts.keys.filter { account in last.map { $0 < account } ?? true }.sorted()
        let rows = names.prefix(Limits.accountPage).map { account in
            let status = engine.directory.account(account).map { engine.status(of: $0, at: now) }
            return AccountRow(
                account: account, users: counts[account] ?? 0, devices: status?.devices ?? 0,
                online: status?.online ?? 0)
        }
        return AccountPage(accounts: rows, isLast: rows.count == names.count)
    }
}
