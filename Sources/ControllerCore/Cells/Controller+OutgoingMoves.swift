import FleetProtocol

extension Controller {
    /// Handles an operator's order to move an account; an order that was carried out is answered again.
    mutating func move(
        _ order: AccountMoveOrder, waiter: Waiter, at now: Moment, into effects: inout Effects
    ) {
        guard let cells = access.cells else { return }
        if let departed = cells.moves.stored.departed[order.account] {
            guard departed.cell == order.target else {
                return effects.refuse(.moved(departed.cell), to: waiter)
            }
            return effects.reply(.moved(order.account, to: departed.cell), to: waiter)
        }
        if var outgoing = cells.moves.outgoing {
            guard outgoing.move.account == order.account, outgoing.move.target == order.target else {
                return effects.refuse(.busy(retryAfter: .seconds(1)), to: waiter)
            }
            outgoing.waiters.removeAll { $0.connection == waiter.connection }
            outgoing.waiters.append(waiter)
            access.cells?.moves.outgoing = outgoing
            return
        }
        if let refusal = refusal(of: order, cells) { return effects.refuse(refusal, to: waiter) }
        guard let number = access.cells?.moves.nextNumber() else { return }
        let move = AccountMove(
            account: order.account, source: cells.own, target: order.target, epoch: engine.epoch,
            number: number)
        var outgoing = OutgoingMove(move, at: now.monotonic)
        outgoing.waiters = [waiter]
        if let account = engine.directory.account(order.account) {
            outgoing.devices = engine.status(of: account, at: now.monotonic).devices
            outgoing.history = engine.ended.outcomes(of: account)
        }
        access.cells?.moves.outgoing = outgoing
    }

    private func refusal(of order: AccountMoveOrder, _ cells: Cells) -> Refusal? {
        guard access.hasUser(order.account) else {
            return cells.holder(of: order.account).map { .moved($0) } ?? .notFound
        }
        guard order.target != cells.own else {
            return .invalid("target: the account \(order.account) is in cell \(cells.own) already")
        }
        guard cells.otherNames.contains(order.target) else {
            return .invalid("target: cell \(cells.own) knows no cell \(order.target)")
        }
        guard engine.ended.unreadUpTo == nil else { return .busy(retryAfter: Limits.replayRetry) }
        return access.isStorageFull ? .storageFull(retryAfter: Limits.storageRetry) : nil
    }

    mutating func advanceOutgoingMove(at now: Moment, into effects: inout Effects) {
        guard let outgoing = access.cells?.moves.outgoing else { return }
        switch outgoing.phase {
        case .copying where now.monotonic >= outgoing.lastQuery.advanced(by: AccountMoves.silenceAtMost):
            return endMove(.busy(retryAfter: .seconds(1)), into: &effects)
        case .draining(let end):
            if isDrained(outgoing.move) {
                access.cells?.moves.outgoing?.phase = .reading
                effects.rare.append(.move(.read(outgoing.move)))
            } else if now.monotonic >= end {
                let reason = "requests of the account \(outgoing.move.account) are still open"
                return endMove(.notAllowed("\(reason); try again when they have ended"), into: &effects)
            }
        case .reading, .frozen:
            let isLate = outgoing.frozenAt.map {
                now.monotonic >= $0.advanced(by: AccountMoves.drainsAtMost + AccountMoves.frozenAtMost)
            }
            if isLate ?? false { return endMove(.busy(retryAfter: .seconds(1)), into: &effects) }
        case .committed where configuration.planted(.moveLiftedUnanswered):
            if now.monotonic >= outgoing.lastQuery.advanced(by: .seconds(1)) {
                return endMove(.busy(retryAfter: .seconds(1)), into: &effects)
            }
        case .copying, .committed, .departed: break
        }
        guard now.monotonic >= outgoing.nextSend, outgoing.nextDue != nil else { return }
        send(outgoing, at: now.monotonic, into: &effects)
    }

    private mutating func send(
        _ outgoing: OutgoingMove, at now: MonotonicTime, into effects: inout Effects
    ) {
        var pause = AccountMoves.interval
        switch outgoing.phase {
        case .committed: ask(outgoing.move.target, .commit(outgoing.move), into: &effects)
        case .draining: pause = AccountMoves.look
        default:
            let offer = AccountMoveOffer(move: outgoing.move, devices: outgoing.devices)
            ask(outgoing.move.target, .offer(offer), into: &effects)
            if case .frozen = outgoing.phase { pause = AccountMoves.look }
        }
        access.cells?.moves.outgoing?.nextSend = now.advanced(by: pause)
    }

    /// Whether nothing of an account changes any more while its users' requests are refused.
    private func isDrained(_ move: AccountMove) -> Bool {
        guard let account = engine.directory.account(move.account) else { return true }
        return engine.requests.open.count(of: account) == 0
    }

    mutating func content(
        for query: MoveContentQuery, at now: Moment, into effects: inout Effects
    ) -> CellReply {
        guard var outgoing = access.cells?.moves.outgoing, outgoing.move == query.move else {
            return .moveStatus(AccountMoveStatus(move: query.move, phase: .unknown, epoch: engine.epoch))
        }
        outgoing.lastQuery = now.monotonic
        defer {
            // A move that has ended meanwhile stays so.
            if access.cells?.moves.outgoing != nil { access.cells?.moves.outgoing = outgoing }
        }
        switch (query.part, outgoing.phase) {
        case (.history, .copying):
            return .content(history(for: query, of: outgoing))
        case (.rest, .copying):
            freeze(&outgoing, at: now.monotonic)
            return .content(MoveContent(later: query))
        case (.rest, .draining), (.rest, .reading): return .content(MoveContent(later: query))
        case (.rest, .frozen(let rest)): return .content(MoveContent(of: rest, for: query))
        case (_, .committed), (_, .departed), (.history, _):
            return .moveStatus(AccountMoveStatus(move: query.move, phase: .unknown, epoch: engine.epoch))
        }
    }

    private mutating func freeze(_ outgoing: inout OutgoingMove, at now: MonotonicTime) {
        outgoing.phase = .draining(until: now.advanced(by: AccountMoves.drainsAtMost))
        (outgoing.frozenAt, outgoing.nextSend) = (now, now)
        if !configuration.planted(.moveNotFrozen) {
            access.freeze(outgoing.move.account, in: engine.directory)
        }
    }

    /// Every reply to the same query has the same requests, because queries may arrive twice and late.
    private func history(for query: MoveContentQuery, of outgoing: OutgoingMove) -> MoveContent {
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
    mutating func readRows(_ rows: [UInt8], of move: AccountMove, at now: MonotonicTime) {
        guard let outgoing = access.cells?.moves.outgoing, outgoing.move == move,
            case .reading = outgoing.phase
        else { return }
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
        access.cells?.moves.outgoing?.phase = .frozen(rest: rest)
        access.cells?.moves.outgoing?.nextSend = now
    }

    /// Handles what the other cell of a move has done.
    mutating func receive(
        _ status: AccountMoveStatus, from cell: CellName, at now: Moment, into effects: inout Effects
    ) {
        guard let outgoing = access.cells?.moves.outgoing, outgoing.move == status.move,
            cell == status.move.target
        else {
            // The source of a move to here does not know it, so it is not continued.
            if let incoming = access.cells?.moves.incoming, incoming.move == status.move,
                cell == status.move.source,
                incoming.phase != .storing
            {
                access.cells?.moves.incoming = nil
            }
            return
        }
        switch (outgoing.phase, status.phase) {
        case (.committed, .taken): depart(outgoing, to: status.epoch, into: &effects)
        case (.committed, .unknown):
            effects.store(.move(.withdrawn(outgoing.move)))
            access.cells?.moves.stored.committed = nil
            endMove(.busy(retryAfter: .seconds(1)), into: &effects)
        case (.frozen, .ready):
            effects.store(.move(.committed(outgoing.move)))
            access.cells?.moves.outgoing?.phase = .committed
            access.cells?.moves.outgoing?.nextSend = now.monotonic
            advanceOutgoingMove(at: now, into: &effects)
        case (.copying, .refused), (.draining, .refused), (.reading, .refused), (.frozen, .refused):
            endMove(.notAllowed(status.reason), into: &effects)
        // A refusal answers an offer, so after the commit it is late: the target has accepted a later offer.
        default: break
        }
    }

    /// Stores that the account is gone, after which this cell starts again without it, and lets its nodes
    /// connect to the target at once.
    private mutating func depart(_ outgoing: OutgoingMove, to epoch: Epoch, into effects: inout Effects) {
        let account = outgoing.move.account
        let tokens = access.tokens(of: account)
        effects.store(.move(.departed(outgoing.move, tokens: tokens, epoch: epoch)))
        access.cells?.moves.outgoing?.phase = .departed
        if let account = engine.directory.account(account) {
            engine.fleet.send(.moved(outgoing.move.target), toNodesOf: account, into: &effects)
        }
        for waiter in outgoing.waiters {
            effects.reply(.moved(account, to: outgoing.move.target), to: waiter)
        }
    }

    /// Ends a move that is not committed: the account can be used again.
    private mutating func endMove(_ refusal: Refusal, into effects: inout Effects) {
        for waiter in access.cells?.moves.outgoing?.waiters ?? [] { effects.refuse(refusal, to: waiter) }
        access.cells?.moves.outgoing = nil
        access.frozen = nil
    }

    mutating func ask(_ cell: CellName, _ request: CellRequest, into effects: inout Effects) {
        guard let correlation = access.cells?.nextCorrelation() else { return }
        effects.rare.append(.askCell(RequestToCell(cell, correlation: correlation, request)))
    }
}

extension Controller.Effects {
    /// Adds a reply of service `cells`.
    mutating func reply(_ reply: CellReply, to waiter: Waiter) {
        self.reply(.service(ServiceMessage(reply, to: CellRequest.self)), to: waiter)
    }
}

extension MoveContent {
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
