import ControllerCore
import FileFraming
import FleetProtocol
import FleetTime
import PlantedBugs

/// The controller's lives: they begin from the disk, decide, keep, let out, and die anywhere in between.
extension World {
    /// A life begins, unless one has meanwhile.
    mutating func startController() {
        guard lives.place(of: newest) == nil else { return }
        beginLife()
    }

    mutating func beginLife() {
        let clockError = clockError()
        let wall = now.wall.advanced(by: clockError)
        let epoch = disk.beginEpoch(at: wall)
        let medium = DiskMedium(disk: disk, epoch: epoch, planted: planted)
        let configuration = configuration(of: epoch)
        var replay = JournalReplay()
        defer { glimpse = [] }
        let journal: Journal<DiskMedium>
        do {
            journal = try Journal(
                medium, segmentBytes: hazards.segmentBytes, batchBytes: 0, at: wall, into: &replay)
            if planted(.journalBeforeEpoch), !glimpse.isEmpty { replay = try replayOfGlimpse() }
        } catch {
            ledger.violate("a journal is refused: \(error)")
            return
        }
        ledger.noteKept(on: disk)
        newest += 1
        tell("controller \(newest) begins, epoch \(epoch), \(replay.openCount) requests open")
        let moment = Moment(monotonic: now.monotonic, wall: wall)
        let unread = journal.unread
        lives.begin(
            Life(
                newest, epoch: epoch,
                controller: Controller(configuration, recovering: replay, awaiting: disk.lists, at: moment),
                writer: writer(of: journal, epoch), unread: unread, clockError: clockError))
        wake(newest)
        recallLater(0, of: newest)
    }

    private func writer(
        of journal: consuming Journal<DiskMedium>, _ epoch: Epoch
    ) -> StorageWriter<DiskMedium> {
        StorageWriter(journal, planted: planted) { [disk] (changes) throws(StorageError) in
            try disk.store(changes, as: epoch)
        }
    }

    /// What a controller knows that has read the journal before it stored its epoch.
    private func replayOfGlimpse() throws(StorageError) -> JournalReplay {
        var replay = JournalReplay()
        for segment in glimpse {
            for batch in segment.batches {
                do throws(RecordError) {
                    for entry in try JournalEntry.entries(of: batch[...]) { replay.apply(entry) }
                } catch {
                    throw .damaged(path: "segment \(segment.number)", what: error.description)
                }
            }
        }
        return replay
    }

    private mutating func clockError() -> Duration {
        guard hazards.wrongClocks, !isHealed else { return .zero }
        return .milliseconds(Int.random(in: -3_000...3_000, using: &generator))
    }

    mutating func stepController(_ number: Int, _ input: consuming Controller.Input) {
        guard let life = lives.place(of: number) else { return }
        lives[life].step(input, at: now)
        wake(number)
    }

    /// Sets the next turn: soon when there is something to carry out, otherwise when the machine wants it.
    private mutating func wake(_ number: Int) {
        let soon = MonotonicTime(nanoseconds: now.monotonic.nanoseconds + 100_000)
        guard let life = lives.place(of: number), soon < lives[life].wakesAt else { return }
        let wanted = lives[life].effects.isEmpty ? max(lives[life].nextDue, soon) : soon
        guard wanted < lives[life].wakesAt else { return }
        lives[life].wakesAt = wanted
        events.set(.controllerTurn(number), at: wanted)
    }

    mutating func controllerTurn(_ number: Int) {
        guard let life = lives.place(of: number), lives[life].wakesAt <= now.monotonic else { return }
        guard lives[life].frozenUntil <= now.monotonic else {
            // What came meanwhile is heard first, as from sockets that are drained before a turn.
            let wakesAt = lives[life].frozenUntil.advanced(by: .nanoseconds(1))
            lives[life].wakesAt = wakesAt
            return events.set(.controllerTurn(number), at: wakesAt)
        }
        lives[life].wakesAt = .never
        stepController(number, .turn(lastTook: .zero))
        carryOut(number)
        wake(number)
    }

    /// Keeps, then lets out; where the seed has it so, the process dies before, between or after.
    mutating func carryOut(_ number: Int) {
        guard let life = lives.place(of: number), lives[life].hasWork else { return }
        var effects = lives[life].takeEffects()
        if let fencing = effects.fencing {
            disk.epoch = max(disk.epoch, fencing)
            return end(number, "is fenced by epoch \(fencing)")
        }
        let crash = crashPoint(of: effects)
        ledger.batchBegins()
        if planted(.answerBeforeJournal) {
            for (client, reply) in effects.replies { letOut(reply, to: client, of: number) }
            effects.replies = []
        }
        if crash == 0 { return end(number, "dies before it keeps \(effects.count) effects") }
        let storesSequences = effects.changes.contains { if case .sequence = $0 { true } else { false } }
        disk.isCutShort = storesSequences && diesInTheStore()
        do throws(StorageError) {
            defer { ledger.noteKept(on: disk) }
            if try lives[life].keep(&effects, at: now) { ledger.seen.insert("disk full") }
        } catch {
            return end(number, "cannot keep: \(error)")
        }
        let count = effects.replies.count + effects.messages.count + effects.updates.count
        guard let crash, crash <= count else {
            letOut(effects, count, of: number, at: now.astray(by: lives[life].clockError))
            return lives[life].giveBack(&effects)
        }
        letOut(effects, crash - 1, of: number, at: now.astray(by: lives[life].clockError))
        end(number, "dies after \(crash - 1) of \(effects.count) effects")
    }

    /// So many: replies, then words to nodes, then the stream, as a controller sends them.
    private mutating func letOut(
        _ effects: Controller.Effects, _ count: Int, of number: Int, at moment: Moment
    ) {
        var left = count
        for (client, reply) in effects.replies.prefix(left) { letOut(reply, to: client, of: number) }
        left -= min(left, effects.replies.count)
        for (node, message) in effects.messages.prefix(left) {
            letOut(message, to: node, of: number, at: moment)
        }
        left -= min(left, effects.messages.count)
        for (account, update) in effects.updates.prefix(left) { letOut(update, to: account, of: number) }
    }

    private mutating func diesInTheStore() -> Bool {
        guard !isHealed, Double.random(in: 0..<1, using: &scripts) < hazards.storeDeaths else { return false }
        ledger.seen.insert("between journal and store")
        return true
    }

    private mutating func crashPoint(of effects: Controller.Effects) -> Int? {
        guard !isHealed, !effects.isEmpty, Double.random(in: 0..<1, using: &generator) < hazards.crashes
        else { return nil }
        return Int.random(in: 0...effects.count, using: &generator)
    }

    private mutating func letOut(_ reply: ClientReply, to client: ConnectionID, of number: Int) {
        tell("controller \(number) answers \(client): \(reply)")
        deliver(reply, to: client, of: number)
    }

    private mutating func letOut(
        _ message: ControllerMessage, to node: ConnectionID, of number: Int, at moment: Moment
    ) {
        tell("controller \(number) tells \(node): \(message)")
        ledger.note(message, isNewest: message.epoch == disk.epoch, at: moment)
        guard case .host(let index)? = parties[node] else { return }
        ledger.noteBelief(message, to: node, of: number)
        post(.toNode(index, node, message))
    }

    private mutating func letOut(_ update: StreamUpdate, to account: AccountID, of number: Int) {
        tell("controller \(number) publishes to \(account): \(update)")
        ledger.note(update, of: account)
        deliver(update, of: account, from: number)
    }

    private mutating func deliver(_ reply: ClientReply, to connection: ConnectionID, of life: Int) {
        switch parties[connection] {
        case .customer(let index)?:
            ledger.note(reply, to: customers[index].account, from: life, isNewest: life == newest)
        case .watcher(let index)?:
            guard let pull = watchers[index].pulls.removeValue(forKey: reply.correlation) else { return }
            if case .snapshot(let chunk) = reply.body { post(.chunk(index, chunk, pull)) }
        case .host?, .stream?, nil: ledger.violate("a reply to nobody")
        }
    }

    /// A life is over: its connections break, and another begins a little later.
    mutating func end(_ number: Int, _ why: String) {
        lives.end(number)
        faults += 1
        tell("controller \(number) \(why)")
        ledger.lifeEnded(number)
        for index in hosts.indices where hosts[index].life == number {
            hosts[index].life = nil
            connectSoon(.host(index))
        }
        for index in customers.indices where customers[index].life == number {
            customers[index].life = nil
            connectSoon(.customer(index))
        }
        for index in watchers.indices {
            if watchers[index].life == number { lose(.watcher(index)) }
            if watchers[index].subscription == number { lose(.stream(index)) }
        }
        let pause = Duration.milliseconds(Int.random(in: 100...500, using: &generator))
        events.set(.start, at: now.monotonic.advanced(by: pause))
    }
}
