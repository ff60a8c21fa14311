import ControllerCore
import DeviceCore
import FleetProtocol
import FleetTime
import PlantedBugs

/// The nodes' processes: they start from the file of their memory, step, remember and speak.
extension World {
    mutating func stepNode(_ index: Int, _ input: Node.Input) {
        guard let bootID = hosts[index].bootID else { return }
        var effects: [Node.Effect] = []
        swap(&effects, &nodeEffects)
        defer {
            if !effects.isEmpty { effects.removeAll(keepingCapacity: true) }
            swap(&effects, &nodeEffects)
        }
        hosts[index].step(input, at: now, into: &effects)
        if planted(.answerBeforeMemory) { speak(effects, of: index, bootID) }
        guard remember(effects, at: index) else { return }
        ledger.note(effects)
        if !planted(.answerBeforeMemory) { speak(effects, of: index, bootID) }
        scheduleNode(index)
    }

    /// What a node has decided goes out.
    private mutating func speak(_ effects: [Node.Effect], of index: Int, _ bootID: BootID) {
        var rows: [DeviceRow] = []
        var measured: [MeasuredDevice] = []
        for effect in effects {
            switch effect {
            // Nodes die of the simulation's own mishaps, and their scenario is quiet.
            case .remember, .crash, .readScenario: break
            case .send(let message):
                guard let life = hosts[index].life else { continue }
                post(.fromNode(index, life: life, hosts[index].connection, message))
            case .publish(let row): rows.append(row)
            case .measured(let devices): measured += devices
            }
        }
        if !(rows.isEmpty && measured.isEmpty), let life = hosts[index].life {
            post(.telemetry(index, life: life, Telemetry(bootID: bootID, rows: rows, measured: measured)))
        }
    }

    /// Writes to a host's file what is to be remembered; false when the process died over it.
    private mutating func remember(_ effects: [Node.Effect], at index: Int) -> Bool {
        guard effects.contains(where: { if case .remember = $0 { true } else { false } }) else { return true }
        var writer = MemoryWriter()
        for case .remember(let entry) in effects { writer.put(entry) }
        writer.endFrame()
        guard let revival = hosts[index].diesWritingUntil else {
            hosts[index].file += writer.bytes
            return true
        }
        let written = Int.random(in: 0...writer.bytes.count, using: &generator)
        hosts[index].file += writer.bytes[..<written]
        // What is whole in the file has happened, though nobody has heard of it.
        if written == writer.bytes.count { ledger.note(effects) }
        ledger.seen.insert(written == writer.bytes.count ? "dead unheard" : "torn")
        kill(index, until: revival)
        return false
    }

    private mutating func scheduleNode(_ index: Int) {
        guard let due = hosts[index].due else { return }
        let wanted = max(due, now.monotonic)
        guard wanted < hosts[index].wakesAt else { return }
        hosts[index].wakesAt = wanted
        events.set(.nodeTurn(index), at: wanted)
    }

    mutating func nodeTurn(_ index: Int) {
        guard hosts[index].wakesAt <= now.monotonic else { return }
        guard hosts[index].frozenUntil <= now.monotonic else {
            hosts[index].wakesAt = hosts[index].frozenUntil
            return events.set(.nodeTurn(index), at: hosts[index].wakesAt)
        }
        hosts[index].wakesAt = .never
        stepNode(index, .turn)
    }

    /// A node's process starts; now and then somebody has removed the file of its memory.
    mutating func revive(_ index: Int) {
        guard !hosts[index].isAlive else { return }
        if Int.random(in: 0..<8, using: &generator) == 0 { hosts[index].file = MemoryWriter.header }
        let isOld = hazards.oldCopies && !isHealed && takesOlderCopy(index)
        let memory = replay(of: hosts[index].file)
        let node = Node(
            hosts[index].configuration, bootID: BootID(bits: generator.next()), memory: memory,
            incarnations: SeededGenerator(seed: planted(.recurringIncarnation) ? 7 : generator.next()),
            at: now)
        hosts[index].begin(node)
        writeAnew(index, node)
        ledger.seen.insert(memory.deviceCount > 0 ? "remembered" : "forgotten")
        for row in node.truth {
            if isOld { ledger.goBack(row) } else { ledger.begin(row) }
            if let known = memory[row.device], known.incarnation != row.reported.incarnation {
                ledger.violate("\(row.device) was remembered, and is new")
            }
        }
        scheduleNode(index)
        connect(.host(index))
    }

    /// Somebody copies the file of a host's memory, or puts a copy in its place that was made before.
    ///
    /// - Returns: Whether the file is an older copy now.
    private mutating func takesOlderCopy(_ index: Int) -> Bool {
        switch Int.random(in: 0..<4, using: &copies) {
        case 0: hosts[index].copy = hosts[index].file
        case 1:
            guard let copy = hosts[index].copy, copy != hosts[index].file else { return false }
            hosts[index].file = copy
            ledger.seen.insert("older copy")
            return true
        default: break
        }
        return false
    }

    private mutating func replay(of file: [UInt8]) -> NodeMemory {
        var replay = MemoryReplay()
        do {
            try replay.take(file[...])
            _ = try replay.finish()
        } catch {
            ledger.violate("a memory is refused: \(error)")
        }
        return replay.memory
    }

    private mutating func writeAnew(_ index: Int, _ node: Node) {
        var writer = MemoryWriter()
        node.putMemories(of: 0..<node.deviceCount, into: &writer)
        writer.endFrame()
        hosts[index].file = MemoryWriter.header + writer.bytes
    }
}
