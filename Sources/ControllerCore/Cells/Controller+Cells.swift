public import FleetProtocol

/// An input of a controller that is one of several cells.
public enum CellInput: Sendable {
    /// The names of all other cells, which have changed.
    case others([CellName])
    /// The reply of another cell to a request of this one.
    case reply(CellName, correlation: UInt64, CellReply)
    /// The rows of an account that moves away, as its store has them.
    case readRows(AccountMove, [UInt8])
    /// Why rows of an account that moves here cannot be added to the store; nil if they can.
    case checkedRows(AccountMove, objection: String?)
}

/// Routes what other cells and operators of all cells send.
extension Controller {
    mutating func receive(_ input: CellInput, at now: Moment, into effects: inout Effects) {
        switch input {
        case .others(let names): access.placement?.set(names, at: now.monotonic)
        case .reply(_, let correlation, _) where access.placement?.hasSent(correlation) != true: break
        case .reply(let cell, let correlation, .page(let page)):
            access.placement?.receive(
                page, from: cell, correlation: correlation, at: now.monotonic, into: &effects)
            access.settleAdditions(at: now, into: &effects)
        case .reply(let cell, _, .moveStatus(let status)):
            moves?.receive(status, from: cell, in: &access, &engine, at: now.monotonic, into: &effects)
        case .reply(let cell, _, .content(let content)) where cell == content.move.source:
            moves?.receive(content, in: &access, at: now.monotonic, into: &effects)
        case .reply: break
        case .readRows(let move, let rows): moves?.readRows(rows, of: move, in: engine, at: now.monotonic)
        case .checkedRows(let move, let objection): moves?.checkedRows(of: move, objection: objection)
        }
    }

    /// Handles a request whose token is not that of a session; returns false if it is not a cell's either.
    mutating func handleCell(
        _ body: ClientRequest.Body, digest: TokenDigest?, from waiter: Waiter, at now: Moment,
        into effects: inout Effects
    ) -> Bool {
        guard access.placement?.admits(digest) == true else { return false }
        do throws(WireError) {
            guard case .service(let message) = body, let request = try message.request(as: CellRequest.self)
            else { throw .malformed("body", "a request of service cells") }
            if let reply = handle(request, from: waiter, at: now, into: &effects) {
                effects.reply(reply, to: waiter)
            }
        } catch {
            effects.refuse(.invalid(error.description), to: waiter)
        }
        return true
    }

    /// Returns the reply; nil if it follows later.
    private mutating func handle(
        _ request: CellRequest, from waiter: Waiter, at now: Moment, into effects: inout Effects
    ) -> CellReply? {
        let instant = now.monotonic
        switch request {
        case .pull(let pull): return (access.placement?.page(for: pull, at: instant)).map { .page($0) }
        case .status: return access.placement.map { .status(status(of: $0, at: instant)) }
        case .accounts(let last):
            let rows = accounts(after: last, limit: Limits.accountPage + 1, at: instant)
            let page = Array(rows.prefix(Limits.accountPage))
            return .accounts(AccountPage(accounts: page, isLast: rows.count == page.count))
        case .create(let creation):
            makeRoom(for: creation.account)
            access.create(creation, for: waiter, in: &engine.directory, into: &effects)
            return nil
        case .move(let order):
            moves?.begin(order, waiter: waiter, in: access, engine, at: instant, into: &effects)
            return nil
        case .offer(let offer):
            return (moves?.receive(offer, in: access, engine.directory, at: instant)).map { .moveStatus($0) }
        case .content(let query): return moves?.content(for: query, in: &access, engine, at: instant)
        case .commit(let move): return (moves?.commit(move, into: &effects)).map { .moveStatus($0) }
        }
    }

    private func status(of placement: Placement, at now: MonotonicTime) -> CellStatus {
        let rows = accounts(after: nil, at: now)
        return CellStatus(
            cell: placement.own, epoch: engine.epoch, accounts: UInt32(rows.count),
            users: UInt32(access.users.count), devices: rows.reduce(0) { $0 + $1.devices },
            online: rows.reduce(0) { $0 + $1.online }, others: placement.knowledge(at: now),
            conflicts: UInt32(clamping: placement.conflicts))
    }

    /// The accounts after one in alphabetical order, or from the first.
    private func accounts(after last: AccountID?, limit: Int = .max, at now: MonotonicTime) -> [AccountRow] {
        let counts = access.usersByAccount
        let names = counts.keys.filter { account in last.map { $0 < account } ?? true }.sorted()
        return names.prefix(limit).map { account in
            let status = engine.directory.account(account).map { engine.status(of: $0, at: now) }
            return AccountRow(
                account: account, users: counts[account] ?? 0, devices: status?.devices ?? 0,
                online: status?.online ?? 0)
        }
    }
}

extension Controller.Effects {
    /// Adds a reply of service `cells`.
    mutating func reply(_ reply: CellReply, to waiter: Waiter) {
        self.reply(.service(ServiceMessage(reply, to: CellRequest.self)), to: waiter)
    }
}
