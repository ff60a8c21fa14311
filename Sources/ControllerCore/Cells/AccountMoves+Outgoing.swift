import FleetProtocol

/// Moves of accounts away from this cell.
extension AccountMoves {
    /// Handles an operator's order to move an account; an order that was carried out is answered again.
    mutating func begin(
        _ order: AccountMoveOrder, waiter: Waiter, in access: AccessControl, _ engine: RequestEngine,
        at now: MonotonicTime, into effects: inout Effects
    ) {
        if let departed = access.placement?.departed[order.account] {
            guard departed.cell == order.target else {
                return effects.refuse(.moved(departed.cell), to: waiter)
            }
            return effects.reply(.moved(order.account, to: departed.cell), to: waiter)
        }
        if let move = outgoing?.move {
            guard move.account == order.account, move.target == order.target else {
                return effects.refuse(.busy(retryAfter: .seconds(1)), to: waiter)
            }
            outgoing?.waiters.removeAll { $0.connection == waiter.connection }
            outgoing?.waiters.append(waiter)
            return
        }
        if let refusal = refusal(of: order, in: access, engine) { return effects.refuse(refusal, to: waiter) }
        lastNumber += 1
        let move = AccountMove(
            account: order.account, source: own, target: order.target, epoch: epoch, number: lastNumber)
        var outgoing = OutgoingMove(move, at: now)
        outgoing.waiters = [waiter]
        if let account = engine.directory.account(order.account) {
            outgoing.devices = engine.status(of: account, at: now).devices
            outgoing.history = engine.ended.outcomes(of: account)
        }
        self.outgoing = outgoing
    }

    private func refusal(
        of order: AccountMoveOrder, in access: AccessControl, _ engine: RequestEngine
    ) -> Refusal? {
        guard access.hasUser(order.account) else {
            return access.placement?.holder(of: order.account).map { .moved($0) } ?? .notFound
        }
        guard order.target != own else {
            return .invalid("target: the account \(order.account) is in cell \(own) already")
        }
        guard access.placement?.otherNames.contains(order.target) == true else {
            return .invalid("target: cell \(own) knows no cell \(order.target)")
        }
        guard engine.ended.unreadUpTo == nil else { return .busy(retryAfter: Limits.replayRetry) }
        return access.storageRefusal
    }

    /// Advances the move away from here.
    mutating func advanceOutgoing(
        in access: inout AccessControl, _ engine: inout RequestEngine, at now: MonotonicTime,
        into effects: inout Effects
    ) {
        guard let outgoing else { return }
        switch outgoing.phase {
        case .draining where isDrained(outgoing.move, in: engine):
            self.outgoing?.phase = .reading
            effects.rare.append(.move(.read(outgoing.move)))
        case .draining(let end) where now >= end:
            let reason = "requests of the account \(outgoing.move.account) are still open"
            let refusal = Refusal.notAllowed("\(reason); try again when they have ended")
            return endOutgoing(refusal, in: &access, into: &effects)
        case _ where outgoing.isLate(at: now, planted):
            return endOutgoing(.busy(retryAfter: .seconds(1)), in: &access, into: &effects)
        default: break
        }
        guard now >= outgoing.nextSend, outgoing.nextDue != nil else { return }
        send(outgoing, in: &access, at: now, into: &effects)
    }

    private mutating func send(
        _ outgoing: OutgoingMove, in access: inout AccessControl, at now: MonotonicTime,
        into effects: inout Effects
    ) {
        var pause = Self.interval
        let (move, target) = (outgoing.move, outgoing.move.target)
        switch outgoing.phase {
        case .committed: access.placement?.ask(target, .commit(move), into: &effects)
        case .draining: pause = Self.look
        default:
            let offer = AccountMoveOffer(move: move, devices: outgoing.devices)
            access.placement?.ask(target, .offer(offer), into: &effects)
            if case .frozen = outgoing.phase { pause = Self.look }
        }
        self.outgoing?.nextSend = now.advanced(by: pause)
    }

    /// Whether nothing of an account changes any more while its users' requests are refused.
    private func isDrained(_ move: AccountMove, in engine: RequestEngine) -> Bool {
        guard let account = engine.directory.account(move.account) else { return true }
        return engine.requests.open.count(of: account) == 0
    }

    /// Returns content of an account that moves away to the cell that gets it.
    mutating func content(
        for query: MoveContentQuery, in access: inout AccessControl, _ engine: RequestEngine,
        at now: MonotonicTime
    ) -> CellReply {
        guard let outgoing, outgoing.move == query.move else {
            return .moveStatus(status(of: query.move, .unknown))
        }
        self.outgoing?.lastQuery = now
        switch (query.part, outgoing.phase) {
        case (.history, .copying): return .content(history(for: query, of: outgoing, in: engine))
        case (.rest, .copying):
            self.outgoing?.phase = .draining(until: now.advanced(by: Self.drainsAtMost))
            self.outgoing?.frozenAt = now
            self.outgoing?.nextSend = now
            if !planted(.moveNotFrozen) { access.setFrozen(true, query.move.account) }
            return .content(MoveContent(later: query))
        case (.rest, .draining), (.rest, .reading): return .content(MoveContent(later: query))
        case (.rest, .frozen(let rest)): return .content(MoveContent(of: rest, for: query))
        case (_, .committed), (_, .departed), (.history, _):
            return .moveStatus(status(of: query.move, .unknown))
        }
    }

    /// Every reply to the same query has the same requests, because queries may arrive twice and late.
    private func history(
        for query: MoveContentQuery, of outgoing: OutgoingMove, in engine: RequestEngine
    ) -> MoveContent {
        guard let account = engine.directory.account(query.move.account) else {
            return MoveContent(of: [], for: query)
        }
        let start = Int(clamping: query.position)
        let records = engine.ended.records(of: account, named: query.move.account, from: start) { entry in
            entry.kind == .outcome && outgoing.history.contains(entry.report.requestID)
        }
        return MoveContent(
            move: query.move, part: query.part, position: query.position, next: UInt64(records.next),
            isLast: records.next >= engine.ended.placeCount, content: records.bytes)
    }

    /// Handles the rows of a frozen account: now the target can copy the rest.
    mutating func readRows(
        _ rows: [UInt8], of move: AccountMove, in engine: RequestEngine, at now: MonotonicTime
    ) {
        guard let outgoing, outgoing.move == move, case .reading = outgoing.phase else { return }
        var records: [UInt8] = []
        var horizon: WallTime?
        if let account = engine.directory.account(move.account) {
            horizon = engine.ended.completeSince(of: account)
            var place = 0
            while place < engine.ended.placeCount {
                let slice = engine.ended.records(of: account, named: move.account, from: place) { entry in
                    entry.kind == .tombstone || !outgoing.history.contains(entry.report.requestID)
                }
                records += slice.bytes
                place = slice.next
            }
        }
        let rest = AccountContent.rest(rows: rows, horizon: horizon, records: records, of: move.account)
        self.outgoing?.phase = .frozen(rest: rest)
        self.outgoing?.nextSend = now
    }

    /// Handles what the other cell of a move has done.
    mutating func receive(
        _ status: AccountMoveStatus, from cell: CellName, in access: inout AccessControl,
        _ engine: inout RequestEngine, at now: MonotonicTime, into effects: inout Effects
    ) {
        guard let outgoing, outgoing.move == status.move, cell == status.move.target else {
            // The source of a move to here does not know it, so it is not continued.
            if let incoming, incoming.move == status.move, cell == status.move.source,
                incoming.phase != .storing
            {
                self.incoming = nil
            }
            return
        }
        switch (outgoing.phase, status.phase) {
        case (.committed, .taken): depart(outgoing, to: status.epoch, in: access, engine, into: &effects)
        case (.committed, .unknown):
            effects.store(.move(.withdrawn(outgoing.move)))
            endOutgoing(.busy(retryAfter: .seconds(1)), in: &access, into: &effects)
        case (.frozen, .ready):
            effects.store(.move(.committed(outgoing.move)))
            self.outgoing?.phase = .committed
            self.outgoing?.nextSend = now
            advanceOutgoing(in: &access, &engine, at: now, into: &effects)
        case (.copying, .refused), (.draining, .refused), (.reading, .refused), (.frozen, .refused):
            endOutgoing(.notAllowed(status.reason), in: &access, into: &effects)
        // A refusal answers an offer, so after the commit it is late: the target has accepted a later offer.
        default: break
        }
    }

    /// Stores that the account is gone, after which this cell starts again without it, and lets its nodes
    /// connect to the target at once.
    private mutating func depart(
        _ outgoing: OutgoingMove, to epoch: Epoch, in access: AccessControl, _ engine: RequestEngine,
        into effects: inout Effects
    ) {
        let account = outgoing.move.account
        effects.store(.move(.departed(outgoing.move, tokens: access.tokens(of: account), epoch: epoch)))
        self.outgoing?.phase = .departed
        if let account = engine.directory.account(account) {
            engine.fleet.send(.moved(outgoing.move.target), toNodesOf: account, into: &effects)
        }
        for waiter in outgoing.waiters {
            effects.reply(.moved(account, to: outgoing.move.target), to: waiter)
        }
    }

    /// Ends a move that is not committed: the account can be used again.
    private mutating func endOutgoing(
        _ refusal: Refusal, in access: inout AccessControl, into effects: inout Effects
    ) {
        guard let ended = outgoing else { return }
        outgoing = nil
        for waiter in ended.waiters { effects.refuse(refusal, to: waiter) }
        access.setFrozen(false, ended.move.account)
    }
}

extension MoveContent {
    /// No content yet.
    init(later query: MoveContentQuery) {
        self.init(
            move: query.move, part: query.part, position: query.position, next: query.position,
            isLast: false, content: [])
    }

    init(of bytes: [UInt8], for query: MoveContentQuery) {
        let start = min(Int(clamping: query.position), bytes.count)
        let end = min(start + Limits.moveContentBytes, bytes.count)
        self.init(
            move: query.move, part: query.part, position: query.position, next: UInt64(end),
            isLast: end == bytes.count, content: Array(bytes[start..<end]))
    }
}
