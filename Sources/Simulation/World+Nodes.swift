import ControllerCore
import DeviceCore
import FleetProtocol
import FleetReplica

/// Node processes, and the packets that arrive.
extension World {
    /// Steps a node; its messages leave after its memory file is written.
    mutating func stepNode(_ index: Int, _ input: Node.Input) {
        guard let bootID = nodes[index].bootID else { return }
        if nodes[index].isTaken, !planted(.ownerNotChecked) {
            ledger.seen.insert("memory taken")
            let pause = Int.random(in: 50...2_000, using: &random.twins)
            return kill(index, until: now.monotonic.advanced(by: .milliseconds(pause)))
        }
        let effects = nodes[index].step(input, at: now)
        if planted(.answerBeforeMemory) { send(effects, of: index, bootID) }
        if persist(effects, of: index) {
            ledger.record(effects)
            if !planted(.answerBeforeMemory) { send(effects, of: index, bootID) }
            scheduleTurn(ofNode: index)
        }
        nodes[index].recycle(effects)
    }

    private mutating func send(_ effects: [Node.Effect], of index: Int, _ bootID: BootID) {
        var rows: [DeviceRow] = []
        var measured: [MeasuredDevice] = []
        for effect in effects {
            switch effect {
            // Node processes die only through faults of the simulation, and have no scenarios.
            case .remember, .crash, .readScenario, .connect, .refused: break
            case .send(let message):
                guard let controller = nodes[index].controller else { continue }
                send(.fromNode(index, controller: controller, nodes[index].connection, message))
            case .publish(let row): rows.append(row)
            case .measured(let devices): measured += devices
            }
        }
        guard !(rows.isEmpty && measured.isEmpty), let controller = nodes[index].controller else { return }
        let telemetry = Telemetry(bootID: bootID, rows: rows, measured: measured)
        send(.telemetry(index, controller: controller, telemetry))
    }

    /// Writes the memory file; false if the process died during the write.
    private mutating func persist(_ effects: [Node.Effect], of index: Int) -> Bool {
        switch nodes[index].persist(effects, using: &random.main) {
        case .done: return true
        case .died(let isComplete, let start):
            // A complete entry is valid, although no message of it leaves.
            if isComplete { ledger.record(effects) }
            ledger.seen.insert(isComplete ? "death after a write" : "torn write")
            kill(index, until: start)
            return false
        }
    }

    private mutating func scheduleTurn(ofNode index: Int) {
        guard let due = nodes[index].nextTurn(after: now.monotonic) else { return }
        events.schedule(.nodeTurn(index), at: due)
    }

    mutating func nodeTurn(_ index: Int) {
        switch nodes[index].turns.begin(at: now.monotonic) {
        case .obsolete: break
        case .postponed(let end): events.schedule(.nodeTurn(index), at: end)
        case .due: stepNode(index, .turn)
        }
    }

    mutating func kill(_ index: Int, until start: MonotonicTime) {
        nodes[index].kill()
        events.schedule(.nodeStart(index), at: start)
    }

    /// Starts a node process, now and then without its memory file or with an older copy of it.
    mutating func startNode(_ index: Int) {
        guard !nodes[index].isAlive, index != Twin.index || !isHealed else { return }
        let isClone = takeFile(index)
        if Int.random(in: 0..<8, using: &random.main) == 0 { nodes[index].removeFile() }
        let isOld = faults.oldCopies && !isHealed && nodes[index].usesOlderCopy(using: &random.memoryCopies)
        if isOld { ledger.seen.insert("older copy") }
        let (memory, error) = nodes[index].memory()
        if let error { ledger.violate("a memory file is refused: \(error)") }
        let node = Node(
            nodes[index].configuration, bootID: BootID(bits: random.main.next()), memory: memory,
            incarnations: SeededGenerator(seed: planted(.recurringIncarnation) ? 7 : random.main.next()),
            at: now)
        nodes[index].start(node)
        ledger.seen.insert(memory.deviceCount > 0 ? "remembered" : "forgotten")
        for row in node.truth {
            if isClone {
                ledger.memories.fork(row)
            } else if isOld {
                ledger.memories.rollBack(row)
            } else {
                ledger.memories.begin(row, &ledger.findings)
            }
            if let known = memory[row.device], known.incarnation != row.reported.incarnation {
                ledger.violate("\(row.device) is in the memory file, and starts as a new device")
            }
        }
        scheduleTurn(ofNode: index)
        connect(.node(index))
    }

    /// Gives a starting process the memory file of its node, if two have it; returns whether it is a copy.
    private mutating func takeFile(_ index: Int) -> Bool {
        guard var twin, twin.processes.contains(index) else { return false }
        if index == Twin.index { ledger.seen.insert("second process") }
        guard twin.sharesMemory else {
            if index == Twin.index { nodes[index].copyFile(of: nodes[twin.original]) }
            return index == Twin.index
        }
        guard twin.holder != index else { return false }
        nodes[index].copyFile(of: nodes[twin.holder])
        nodes[twin.holder].loseFile()
        twin.holder = index
        self.twin = twin
        return false
    }

    /// Ends the second process of a node; the node's own one continues, with the file if it is shared.
    mutating func endTwin() {
        guard let twin else { return }
        nodes[Twin.index].kill()
        startNode(twin.original)
        ledger.nodes.observe(nil)
    }

    // MARK: Packets

    mutating func receive(_ packet: Packet) {
        switch packet {
        case .toNode(let index, let connection, let message):
            guard nodes[index].connection == connection else { return }
            guard nodes[index].turns.frozenUntil <= now.monotonic else {
                return network.hold(packet, until: nodes[index].turns.frozenUntil, into: &events)
            }
            stepNode(index, .controller(message))
        case .chunk(let index, let chunk, let pull): stepObserver(index, .chunk(chunk, answering: pull))
        case .update(let index, let controller, let update):
            guard observers[index].subscription == controller else { return }
            stepObserver(index, .update(update))
        case .fromNode(let index, let controller, let connection, let message):
            if controllers.index(of: controller) == nil { return receiveLate(message, of: index) }
            guard let receiver = receiver(controller, of: packet) else { return }
            if case .rows = message.body { ledger.seen.insert("pull") }
            ledger.nodes.received(message, at: connection, by: controller)
            controllers[receiver].receive(message, from: connection, at: now)
            scheduleTurn(of: receiver)
        case .telemetry(_, let controller, let telemetry):
            guard receiver(controller, of: packet) != nil else { return }
            stepController(controller, .telemetry(telemetry))
        case .request(let controller, let connection, let digest, let request):
            guard let receiver = receiver(controller, of: packet) else { return }
            if case .client? = network.party(of: connection) {
                ledger.exchanges.received(request, by: controller)
                ledger.accounts.received(request.correlation)
            }
            let digest = caller(of: request.body, digest, in: receiver)
            controllers[receiver].receive(request, from: connection, digest: digest, at: now)
            scheduleTurn(of: receiver)
        }
    }

    /// The session with which a controller process receives a request: with two planted bugs one of the first
    /// account in place of another account's.
    private func caller(of body: ClientRequest.Body, _ digest: TokenDigest?, in place: Int) -> TokenDigest? {
        let isConfused =
            switch body {
            case .service: planted(.accountFilterMissing)
            case .snapshot: planted(.snapshotOfAnyAccount)
            default: false
            }
        guard isConfused, let digest, let account = controllers[place].controller.account(of: digest)
        else { return digest }
        return account == Clients.accounts[0] ? digest : clients[0].digest
    }

    /// A message of a node to a controller process that has ended waits at the node for a connection to the
    /// next one; it is lost if the node dies.
    private mutating func receiveLate(_ message: NodeMessage, of index: Int) {
        guard faults.lateMessages, nodes[index].bootID == message.bootID else { return }
        let connection = nodes[index].connection
        guard let controller = nodes[index].controller else {
            let end = now.monotonic.advanced(by: .milliseconds(20))
            let packet = Packet.fromNode(index, controller: 0, connection, message)
            return network.hold(packet, until: end, into: &events)
        }
        ledger.seen.insert("late message")
        let packet = Packet.fromNode(index, controller: controller, connection, message)
        network.hold(packet, until: now.monotonic, into: &events)
    }
}
