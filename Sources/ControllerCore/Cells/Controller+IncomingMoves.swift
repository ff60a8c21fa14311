import FleetProtocol

extension Controller {
    mutating func receive(_ offer: AccountMoveOffer, at now: Moment) -> CellReply {
        guard let moves = access.cells?.moves else { return .moveStatus(status(of: offer.move, .unknown)) }
        let move = offer.move
        if moves.stored.taken.contains(move) { return .moveStatus(status(of: move, .taken)) }
        if let incoming = moves.incoming, incoming.move == move {
            access.cells?.moves.incoming?.lastSign = now.monotonic
            return .moveStatus(status(of: move, incoming.progress.phase, incoming.progress.reason))
        }
        if let reason = objection(to: offer, moves) {
            return .moveStatus(status(of: move, .refused, reason))
        }
        access.cells?.moves.incoming = IncomingMove(move, at: now.monotonic)
        return .moveStatus(status(of: move, .copying))
    }

    /// Why an account cannot be taken; nil if it can.
    private func objection(to offer: AccountMoveOffer, _ moves: AccountMoves) -> String? {
        let (move, cell) = (offer.move, access.cells?.own.text ?? "")
        if moves.hasEnded(move) { return "the move has ended; try again" }
        if let other = moves.incoming, other.move.source != move.source || other.phase == .storing {
            return "cell \(cell) is taking another account; try again"
        }
        guard access.cells?.storesRequests == true else {
            return "cell \(cell) does not store requests: its controller runs with --durability none"
        }
        if access.isStorageFull { return "the disk of cell \(cell) is full" }
        if access.hasUser(move.account) { return "cell \(cell) has an account \(move.account) too" }
        let devices = engine.directory.devices.count + Int(offer.devices)
        guard devices <= Directory.devicesAtMost else {
            return "cell \(cell) would have \(devices) devices, more than \(Directory.devicesAtMost)"
        }
        return nil
    }

    private func status(
        of move: AccountMove, _ phase: AccountMoveStatus.Phase, _ reason: String = ""
    ) -> AccountMoveStatus {
        AccountMoveStatus(move: move, phase: phase, reason: reason, epoch: engine.epoch)
    }

    /// Takes an account whose content is copied: the reply `taken` leaves once that is stored.
    mutating func commit(_ move: AccountMove, into effects: inout Effects) -> CellReply {
        guard let moves = access.cells?.moves else { return .moveStatus(status(of: move, .unknown)) }
        if moves.stored.taken.contains(move) { return .moveStatus(status(of: move, .taken)) }
        guard let incoming = moves.incoming, incoming.move == move,
            incoming.phase == .ready || incoming.phase == .storing
        else {
            // An earlier run was ready.
            access.cells?.moves.end(move)
            return .moveStatus(status(of: move, .unknown))
        }
        guard incoming.phase == .ready else { return .moveStatus(status(of: move, .ready)) }
        access.cells?.moves.incoming?.phase = .storing
        if !configuration.planted(.moveWithoutHistory) {
            for entry in incoming.entries { effects.store(.request(entry)) }
        }
        effects.store(.move(.taken(move, rows: incoming.rows)))
        // The next run has the account, and its epoch exceeds both.
        let next = Epoch(max(engine.epoch.value, move.epoch.value) + 1)
        return .moveStatus(AccountMoveStatus(move: move, phase: .taken, epoch: next))
    }

    mutating func advanceIncomingMove(at now: Moment, into effects: inout Effects) {
        guard let incoming = access.cells?.moves.incoming, incoming.phase != .storing else { return }
        if now.monotonic >= incoming.lastSign.advanced(by: AccountMoves.silenceAtMost) {
            access.cells?.moves.incoming = nil
        } else if incoming.phase == .copying, now.monotonic >= incoming.nextQuery {
            query(at: now.monotonic, into: &effects)
        }
    }

    private mutating func query(at now: MonotonicTime, into effects: inout Effects) {
        guard let incoming = access.cells?.moves.incoming else { return }
        ask(incoming.move.source, .content(incoming.query), into: &effects)
        access.cells?.moves.incoming?.nextQuery = now.advanced(by: AccountMoves.interval)
    }

    /// Handles content; only that which continues the present one is used.
    mutating func receive(_ content: MoveContent, at now: Moment, into effects: inout Effects) {
        guard var incoming = access.cells?.moves.incoming, incoming.move == content.move,
            incoming.phase == .copying, incoming.part == content.part,
            incoming.position == content.position
        else { return }
        // Speed: see performance.md, "copies".
        access.cells?.moves.incoming = nil
        incoming.lastSign = now.monotonic
        incoming.position = content.next
        incoming.bytes += content.content.count
        let hasNews = content.next != content.position || content.isLast
        do throws(AccountContent.Unreadable) {
            try append(content, to: &incoming, into: &effects)
        } catch {
            incoming.phase = .refused("the content of the account cannot be read here")
        }
        if incoming.bytes > AccountMoves.bytesAtMost {
            incoming.phase = .refused("the account has more than \(AccountMoves.bytesAtMost >> 20) MiB")
            (incoming.entries, incoming.rest) = ([], [])
        }
        if !hasNews { incoming.nextQuery = now.monotonic.advanced(by: AccountMoves.look) }
        access.cells?.moves.incoming = incoming
        if hasNews, incoming.phase == .copying { query(at: now.monotonic, into: &effects) }
    }

    private func append(
        _ content: MoveContent, to incoming: inout IncomingMove, into effects: inout Effects
    ) throws(AccountContent.Unreadable) {
        switch content.part {
        case .history:
            incoming.entries += try AccountContent.entries(
                of: content.content[...], of: incoming.move.account)
            if content.isLast { (incoming.part, incoming.position) = (.rest, 0) }
        case .rest:
            incoming.rest += content.content
            guard content.isLast else { return }
            let rest = try AccountContent.read(rest: incoming.rest, of: incoming.move.account)
            (incoming.rows, incoming.rest) = (rest.rows, [])
            incoming.entries += rest.entries
            incoming.phase = .checking
            effects.rare.append(.move(.check(incoming.move, rows: incoming.rows)))
        }
    }

    mutating func checkedRows(of move: AccountMove, objection: String?) {
        guard let incoming = access.cells?.moves.incoming, incoming.move == move,
            incoming.phase == .checking
        else { return }
        access.cells?.moves.incoming?.phase = objection.map { .refused($0) } ?? .ready
    }
}
