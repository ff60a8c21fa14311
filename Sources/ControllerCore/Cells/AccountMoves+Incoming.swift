import FleetProtocol

/// Moves of accounts to this cell.
extension AccountMoves {
    mutating func receive(
        _ offer: AccountMoveOffer, in access: AccessControl, _ directory: Directory, at now: MonotonicTime
    ) -> AccountMoveStatus {
        let move = offer.move
        if taken.contains(move) { return status(of: move, .taken) }
        if let incoming, incoming.move == move {
            self.incoming?.lastSign = now
            return status(of: move, incoming.progress.phase, incoming.progress.reason)
        }
        if let reason = objection(to: offer, in: access, directory) {
            return status(of: move, .refused, reason)
        }
        incoming = IncomingMove(move, at: now)
        return status(of: move, .copying)
    }

    /// Why an account cannot be taken; nil if it can.
    private func objection(
        to offer: AccountMoveOffer, in access: AccessControl, _ directory: Directory
    ) -> String? {
        let move = offer.move
        if hasEnded(move) { return "the move has ended; try again" }
        if let incoming, incoming.move.source != move.source || incoming.phase == .storing {
            return "cell \(own) is taking another account; try again"
        }
        guard storesRequests else {
            return "cell \(own) does not store requests: its controller runs with --durability none"
        }
        if access.isStorageFull { return "the disk of cell \(own) is full" }
        if access.hasUser(move.account) { return "cell \(own) has an account \(move.account) too" }
        let devices = directory.devices.count + Int(offer.devices)
        guard devices <= Directory.devicesAtMost else {
            return "cell \(own) would have \(devices) devices, more than \(Directory.devicesAtMost)"
        }
        return nil
    }

    func status(
        of move: AccountMove, _ phase: AccountMoveStatus.Phase, _ reason: String = ""
    ) -> AccountMoveStatus {
        AccountMoveStatus(move: move, phase: phase, reason: reason, epoch: epoch)
    }

    /// Takes an account whose content is copied: the reply `taken` leaves once that is stored.
    mutating func commit(_ move: AccountMove, into effects: inout Effects) -> AccountMoveStatus {
        if taken.contains(move) { return status(of: move, .taken) }
        guard let incoming, incoming.move == move, incoming.phase == .ready || incoming.phase == .storing
        else {
            // An earlier run was ready.
            end(move)
            return status(of: move, .unknown)
        }
        guard incoming.phase == .ready else { return status(of: move, .ready) }
        self.incoming?.phase = .storing
        if !planted(.moveWithoutHistory) {
            for entry in incoming.entries { effects.store(.request(entry)) }
        }
        effects.store(.move(.taken(move, rows: incoming.rows)))
        // The next run has the account, and its epoch exceeds both.
        let next = Epoch(max(epoch.value, move.epoch.value) + 1)
        return AccountMoveStatus(move: move, phase: .taken, epoch: next)
    }

    mutating func advanceIncoming(
        in access: inout AccessControl, at now: MonotonicTime, into effects: inout Effects
    ) {
        guard let incoming, incoming.phase != .storing else { return }
        if now >= incoming.lastSign.advanced(by: Self.silenceAtMost) {
            self.incoming = nil
        } else if incoming.phase == .copying, now >= incoming.nextQuery {
            query(in: &access, at: now, into: &effects)
        }
    }

    private mutating func query(
        in access: inout AccessControl, at now: MonotonicTime, into effects: inout Effects
    ) {
        guard let incoming else { return }
        access.placement?.ask(incoming.move.source, .content(incoming.query), into: &effects)
        self.incoming?.nextQuery = now.advanced(by: Self.interval)
    }

    /// Handles content; only that which continues the present one is used.
    mutating func receive(
        _ content: MoveContent, in access: inout AccessControl, at now: MonotonicTime,
        into effects: inout Effects
    ) {
        guard var incoming, incoming.move == content.move, incoming.phase == .copying,
            incoming.part == content.part, incoming.position == content.position
        else { return }
        // Another reference would have each append copy all entries.
        self.incoming = nil
        incoming.lastSign = now
        incoming.position = content.next
        incoming.bytes += content.content.count
        let hasNews = content.next != content.position || content.isLast
        do throws(AccountContent.Unreadable) {
            try append(content, to: &incoming, into: &effects)
        } catch {
            incoming.phase = .refused("the content of the account cannot be read here")
        }
        if incoming.bytes > Self.bytesAtMost {
            incoming.phase = .refused("the account has more than \(Self.bytesAtMost >> 20) MiB")
            (incoming.entries, incoming.rest) = ([], [])
        }
        if !hasNews { incoming.nextQuery = now.advanced(by: Self.look) }
        self.incoming = incoming
        if hasNews, incoming.phase == .copying { query(in: &access, at: now, into: &effects) }
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

    /// Handles the shell's objection to the rows of an account; nil if they can be added.
    mutating func checkedRows(of move: AccountMove, objection: String?) {
        guard let incoming, incoming.move == move, incoming.phase == .checking else { return }
        self.incoming?.phase = objection.map { .refused($0) } ?? .ready
    }
}
