import ControllerCore
import FleetProtocol

/// Controller processes: they start from the disk, step, commit, send, and die anywhere in between.
extension World {
    /// Starts a controller process unless the newest one is running.
    mutating func startController() {
        if controllers.newestIndex == nil { addController() }
    }

    mutating func addController() {
        if !isHealed { restoreOneFile() }
        let clockError = clockError()
        let epoch = disk.beginEpoch(at: now.wall.advanced(by: clockError))
        let number = controllers.newest + 1
        let earlier = controllers.segmentsBeforeTakeover
        controllers.segmentsBeforeTakeover = []
        do throws(StorageError) {
            controllers.add(
                try ControllerProcess(
                    number, on: disk, configuration(of: epoch), segmentBytes: faults.segmentBytes,
                    clockError: clockError, earlier: earlier, at: now))
        } catch {
            return ledger.violate("the journal is refused: \(error)")
        }
        ledger.recordCommits(on: disk)
        log("controller \(number) starts in epoch \(epoch)")
        controllers.newestIndex.map { scheduleTurn(of: $0) }
        scheduleReplay(0, by: number)
        checkServedAccounts(when: "after a recovery")
    }

    /// Tries to start with an older store, or an older journal, and the witness of that time; or copies the
    /// disk for a later start.
    private mutating func restoreOneFile() {
        guard let earlier = disk.earlier, let part = Disk.Part.allCases.randomElement(using: &random.files),
            Bool.random(using: &random.files)
        else { return disk.earlier = Disk(disk) }
        guard let mixture = disk.withOlder(part, of: earlier) else { return }
        processFaults += 1
        let medium = DiskMedium(disk: mixture, epoch: mixture.beginEpoch(at: now.wall), planted: planted)
        do throws(StorageError) {
            var replay = JournalReplay()
            _ = try Journal(medium, at: now.wall, into: &replay)
            ledger.violate("an older \(part) is accepted with its witness")
        } catch {
            ledger.seen.insert("older \(part)")
        }
    }

    private mutating func clockError() -> Duration {
        guard faults.wrongClocks, !isHealed else { return .zero }
        return .milliseconds(Int.random(in: -3_000...3_000, using: &random.main))
    }

    // MARK: Turns

    mutating func stepController(_ number: Int, _ input: consuming Controller.Input) {
        guard let index = controllers.index(of: number) else { return }
        controllers[index].step(input, at: now)
        scheduleTurn(of: index)
    }

    mutating func scheduleTurn(of index: Int) {
        guard let due = controllers[index].nextTurn(after: now.monotonic) else { return }
        events.schedule(.controllerTurn(controllers[index].number), at: due)
    }

    mutating func controllerTurn(_ number: Int) {
        guard let index = controllers.index(of: number) else { return }
        switch controllers.beginTurn(of: index, at: now.monotonic) {
        case .obsolete: break
        case .postponed(let end): events.schedule(.controllerTurn(number), at: end)
        case .due:
            controllers[index].step(.turn(lastTook: .zero), at: now)
            // The second turn submits commands of queues whose IDs the first one has not stored.
            if planted(.turnNotStored) { controllers[index].step(.turn(lastTook: .zero), at: now) }
            scheduleTurn(of: index)
            commitAndSend(number)
            if let index = controllers.index(of: number) { scheduleTurn(of: index) }
        }
    }

    /// When a process is stopped now, schedules an event again for its continuation; returns whether it is.
    private mutating func postpones(_ event: Event, ofFrozen index: Int) -> Bool {
        let end = controllers[index].turns.frozenUntil
        guard end > now.monotonic else { return false }
        events.schedule(event, at: end)
        return true
    }

    /// The index of a controller process that receives a packet now; nil if it has ended, or is stopped and
    /// receives the packet later.
    mutating func receiver(_ number: Int, of packet: Packet) -> Int? {
        guard let index = controllers.index(of: number) else { return nil }
        guard controllers[index].turns.frozenUntil <= now.monotonic else {
            network.hold(packet, until: controllers[index].turns.frozenUntil, into: &events)
            return nil
        }
        log("controller \(number) receives \(packet)")
        return index
    }

    // MARK: Effects

    /// Commits, then sends; the process may die before, between or after.
    mutating func commitAndSend(_ number: Int) {
        guard let index = controllers.index(of: number), controllers[index].hasWork else { return }
        var effects = controllers[index].drainEffects()
        if let fencing = effects.fencing {
            disk.raise(to: fencing)
            return end(number, "is fenced by epoch \(fencing)")
        }
        let crash = crashPoint(of: effects)
        ledger.beginBatch()
        if planted(.answerBeforeJournal) {
            for sent in effects.replies { send(sent.reply, to: sent.client, from: number) }
            effects.replies = []
        }
        if crash == 0 { return end(number, "dies before it commits \(effects.count) effects") }
        let usesStore = effects.changes.contains {
            if case .service(let record) = $0 { record.service == QueueRecord.service } else { false }
        }
        disk.failsStoreWrites = usesStore && diesBeforeStore()
        do throws(StorageError) {
            defer { ledger.recordCommits(on: disk) }
            if try controllers.write(&effects, of: index, at: now) { ledger.seen.insert("disk full") }
        } catch {
            return end(number, "cannot commit: \(error)")
        }
        let count = effects.replies.count + effects.messages.count + effects.updates.count
        let moment = now.shifted(by: controllers[index].clockError)
        guard let crash, crash <= count else {
            for effect in effects.rare { carryOut(effect, of: index) }
            send(effects, count, from: number, at: moment)
            return controllers[index].recycle(&effects)
        }
        send(effects, crash - 1, from: number, at: moment)
        end(number, "dies after \(crash - 1) of \(effects.count) effects")
    }

    private mutating func crashPoint(of effects: Controller.Effects) -> Int? {
        guard !isHealed, !effects.isEmpty,
            Double.random(in: 0..<1, using: &random.main) < faults.deaths.amongEffects
        else { return nil }
        return Int.random(in: 0...effects.count, using: &random.main)
    }

    private mutating func diesBeforeStore() -> Bool {
        guard !isHealed, Double.random(in: 0..<1, using: &random.commandQueues) < faults.deaths.beforeStore
        else {
            return false
        }
        ledger.seen.insert("between journal and store")
        return true
    }

    /// Sends the first effects: replies, then messages to nodes, then updates.
    private mutating func send(
        _ effects: Controller.Effects, _ count: Int, from number: Int, at moment: Moment
    ) {
        let replies = min(count, effects.replies.count)
        for place in 0..<replies {
            send(effects.replies[place].reply, to: effects.replies[place].client, from: number)
        }
        let messages = min(count - replies, effects.messages.count)
        for place in 0..<messages {
            send(effects.messages[place].message, to: effects.messages[place].node, from: number, at: moment)
        }
        for place in 0..<min(count - replies - messages, effects.updates.count) {
            publish(effects.updates[place].update, to: effects.updates[place].account, from: number)
        }
    }

    private mutating func send(_ reply: ClientReply, to connection: ConnectionID, from number: Int) {
        log("controller \(number) replies to \(connection): \(reply)")
        switch network.party(of: connection) {
        case .client(let index)?: receive(reply, by: index, from: number)
        case .observer(let index)?: receive(reply, byObserver: index)
        case .node?, .stream?, nil: ledger.violate("a reply to an unknown connection")
        }
    }

    private mutating func send(
        _ message: ControllerMessage, to node: ConnectionID, from number: Int, at moment: Moment
    ) {
        log("controller \(number) sends to \(node): \(message)")
        ledger.sent(message, isNewest: message.epoch == disk.epoch, at: moment)
        guard case .node(let index)? = network.party(of: node) else { return }
        ledger.nodes.sent(message, to: node, by: number, &ledger.findings)
        send(.toNode(index, node, message))
    }

    // MARK: Ends

    /// Ends a controller process: its connections break, and another one starts a little later.
    mutating func end(_ number: Int, _ why: String) {
        controllers.remove(number)
        processFaults += 1
        log("controller \(number) \(why)")
        ledger.exchanges.ended(number)
        ledger.accounts.ended()
        for index in nodes.indices where nodes[index].controller == number {
            nodes[index].controller = nil
            connectSoon(.node(index))
        }
        for index in clients.indices where clients[index].controller == number {
            clients[index].controller = nil
            connectSoon(.client(index))
        }
        for index in observers.indices {
            if observers[index].controller == number { disconnect(.observer(index)) }
            if observers[index].subscription == number { disconnect(.stream(index)) }
        }
        schedule(.controllerStart, after: .milliseconds(Int.random(in: 100...500, using: &random.main)))
    }

    // MARK: Replay, and passwords

    /// Schedules the replay of a segment that a controller process reads while it serves.
    private mutating func scheduleReplay(_ segment: Int, by number: Int) {
        guard let index = controllers.index(of: number),
            segment < controllers[index].unread.numbers.count
        else { return }
        // There can be many small segments, so each takes little time once faults have ended.
        let pause = isHealed ? 5 : Int.random(in: 0...300, using: &random.main)
        schedule(.segmentReplay(controller: number, index: segment), after: .milliseconds(pause))
    }

    mutating func replaySegment(_ segment: Int, by number: Int) {
        guard let index = controllers.index(of: number),
            !postpones(.segmentReplay(controller: number, index: segment), ofFrozen: index)
        else { return }
        let unread = controllers[index].unread
        var ends = JournalReplay()
        for batch in disk.batches(of: unread.numbers[segment]) {
            do throws(StorageError) {
                try ends.readEnds(batch[...], of: unread.numbers[segment])
            } catch {
                ledger.violate("a batch cannot be read: \(error)")
            }
        }
        ledger.seen.insert("segment replay")
        stepController(number, .replayed(ends, unreadUpTo: unread.newestID(after: segment + 1)))
        scheduleReplay(segment + 1, by: number)
    }

    /// Hands a password to the worker of a controller process, or a message to its user.
    private mutating func carryOut(_ effect: Controller.Effects.Rare, of index: Int) {
        let number = controllers[index].number
        switch effect {
        case .check(let check):
            let slot = controllers[index].checks.insert(check)
            schedule(.passwordChecked(controller: number, slot: slot), after: hashingTime())
        case .hash(let hashing):
            let slot = controllers[index].hashings.insert(hashing)
            schedule(.passwordHashed(controller: number, slot: slot), after: hashingTime())
        case .message(let message):
            ledger.accounts.sent(message, into: &ledger.findings)
            clients.received(message)
        case .publishLast, .askCell, .move: break
        }
    }

    private mutating func hashingTime() -> Duration {
        .milliseconds(Int.random(in: 1...20, using: &random.accounts))
    }

    mutating func finishHashing(_ event: Event, by number: Int) {
        guard let index = controllers.index(of: number), !postpones(event, ofFrozen: index) else { return }
        if case .passwordChecked(_, let slot) = event {
            finish(controllers[index].checks.remove(at: slot), by: number)
        } else if case .passwordHashed(_, let slot) = event {
            let hashing = controllers[index].hashings.remove(at: slot)
            stepController(number, .passwordHashed(ticket: hashing.ticket, hash: hashing.password.text))
        }
    }

    private mutating func finish(_ check: PasswordCheck, by number: Int) {
        let bytes = (0..<Token.length).map { _ in UInt8.random(in: 0...255, using: &random.accounts) }
        guard let token = Token(bytes), let digest = TokenDigest(bytes) else {
            preconditionFailure("a token has \(bytes.count) bytes")
        }
        // The hash of a password is its text.
        let didMatch = check.password != nil && check.password?.text == check.storedHash
        let hash = check.storedHash == nil ? check.password?.text : nil
        stepController(
            number,
            .passwordChecked(
                ticket: check.ticket, didMatch: didMatch, token: token, digest: digest, hash: hash))
    }
}
