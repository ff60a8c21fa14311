import ControllerCore
import FleetProtocol
import Records
import Stepping

/// The controller's lives: they begin from the disk, decide, keep, let out, and die anywhere in between.
extension World {
    /// A life begins, unless one has meanwhile.
    mutating func startController() {
        guard lives[newest] == nil else { return }
        beginLife()
    }

    mutating func beginLife() {
        let clockError = clockError()
        let wall = now.wall.advanced(by: clockError)
        let epoch = disk.beginEpoch(at: wall)
        let medium = DiskMedium(disk: disk, epoch: epoch, planted: planted)
        let configuration = configuration(of: epoch)
        var replay = JournalReplay()
        defer { glimpse = [:] }
        let journal: Journal<DiskMedium>
        do {
            journal = try Journal(
                medium, shortest: configuration.retention.shortest, segmentBytes: hazards.segmentBytes,
                batchBytes: 0, into: &replay)
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
        lives[newest] = Life(
            epoch: epoch,
            controller: Controller(configuration, recovering: replay, awaiting: disk.lists, at: moment),
            keeper: keeper(of: journal, epoch), unread: unread, clockError: clockError)
        wake(newest)
        recallLater(0, of: newest)
    }

    private func keeper(of journal: consuming Journal<DiskMedium>, _ epoch: Epoch) -> Keeper<DiskMedium> {
        Keeper(journal, planted: planted) { _ in
        } keepDirectory: { [disk] (entries) throws(StorageError) in
            try disk.keep(entries, as: epoch)
        } keepLogbooks: { _ in
        }
    }

    /// What a controller knows that has read the journal before it stored its epoch.
    private func replayOfGlimpse() throws(StorageError) -> JournalReplay {
        var replay = JournalReplay()
        for number in glimpse.keys.sorted() {
            for batch in glimpse[number]?.batches ?? [] {
                do throws(RecordError) {
                    for entry in try JournalEntry.entries(of: batch[...]) { replay.apply(entry) }
                } catch {
                    throw .damaged(path: "segment \(number)", what: error.description)
                }
            }
        }
        return replay
    }

    private mutating func clockError() -> Duration {
        guard hazards.wrongClocks, !isHealed else { return .zero }
        return .milliseconds(Int.random(in: -3_000...3_000, using: &generator))
    }

    private func moment(of life: Life) -> Moment {
        Moment(monotonic: now.monotonic, wall: now.wall.advanced(by: life.clockError))
    }

    mutating func stepController(_ number: Int, _ input: Controller.Input) {
        guard let life = lives[number] else { return }
        life.controller.step(input, at: moment(of: life), into: &life.effects)
        wake(number)
    }

    /// Sets the next turn: soon when there is something to carry out, otherwise when the machine wants it.
    private mutating func wake(_ number: Int) {
        guard let life = lives[number] else { return }
        let soon = now.monotonic.advanced(by: .microseconds(100))
        let wanted = life.effects.isEmpty ? max(life.nextDue, soon) : soon
        guard wanted < life.wakesAt else { return }
        life.wakesAt = wanted
        events.set(.controllerTurn(number), at: wanted)
    }

    mutating func controllerTurn(_ number: Int) {
        guard let life = lives[number], life.wakesAt <= now.monotonic else { return }
        guard life.frozenUntil <= now.monotonic else {
            // What came meanwhile is heard first, as from sockets that are drained before a turn.
            let wakesAt = life.frozenUntil.advanced(by: .nanoseconds(1))
            life.wakesAt = wakesAt
            return events.set(.controllerTurn(number), at: wakesAt)
        }
        life.wakesAt = .never
        stepController(number, .turn(lastTook: .zero))
        carryOut(number)
        wake(number)
    }

    /// Keeps, then lets out; where the seed has it so, the process dies before, between or after.
    mutating func carryOut(_ number: Int) {
        guard let life = lives[number], life.hasWork else { return }
        var effects = Controller.Effects()
        swap(&effects, &life.effects)
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
        do throws(StorageError) {
            defer { ledger.noteKept(on: disk) }
            let at = moment(of: life)
            switch try life.keep(&effects, at: at) {
            case nil: break
            case .full?:
                ledger.seen.insert("disk full")
                life.controller.step(.storage(isFull: true), at: at, into: &life.effects)
            case .room?: life.controller.step(.storage(isFull: false), at: at, into: &life.effects)
            }
            life.controller.step(.kept(took: .microseconds(10)), at: at, into: &life.effects)
        } catch {
            return end(number, "cannot keep: \(error)")
        }
        letOut(effects, of: number, life, upTo: crash)
    }

    /// Replies, then words to nodes, then the stream, as a controller sends them; at `crash` it dies.
    private mutating func letOut(
        _ effects: Controller.Effects, of number: Int, _ life: Life, upTo crash: Int?
    ) {
        var left = 0
        func isDead() -> Bool {
            left += 1
            guard left == crash else { return false }
            end(number, "dies after \(left - 1) of \(effects.count) effects")
            return true
        }
        for (client, reply) in effects.replies {
            guard !isDead() else { return }
            letOut(reply, to: client, of: number)
        }
        for (node, message) in effects.messages {
            guard !isDead() else { return }
            letOut(message, to: node, of: number, life)
        }
        for (account, update) in effects.updates {
            guard !isDead() else { return }
            tell("controller \(number) publishes to \(account): \(update)")
            ledger.note(update, of: account)
            deliver(update, of: account, from: number)
        }
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
        _ message: ControllerMessage, to node: ConnectionID, of number: Int, _ life: Life
    ) {
        tell("controller \(number) tells \(node): \(message)")
        ledger.note(message, isNewest: message.epoch == disk.epoch, at: moment(of: life))
        guard case .host(let index)? = parties[node] else { return }
        ledger.noteBelief(message, to: node, of: number)
        post(.toNode(index, node, message))
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
        lives[number] = nil
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
