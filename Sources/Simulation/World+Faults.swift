import ControllerCore
import DeviceCore
import FleetProtocol

extension World {
    mutating func causeFault() {
        guard !isHealed else { return }
        schedule(.fault, after: network.faultInterval)
        let index = Int.random(in: nodes.indices, using: &random.main)
        let pause = Int.random(in: 50...2_000, using: &random.main)
        let end = now.monotonic.advanced(by: .milliseconds(pause))
        processFaults += 1
        switch Int.random(in: 0..<24, using: &random.main) {
        case 0: kill(index, until: end)
        case 1: stopNode(index, until: end)
        case 2: nodes[index].turns.freeze(until: end)
        case 3: freezeController(until: min(end, now.monotonic.advanced(by: .milliseconds(700))))
        case 4, 5: network.cut(.toController, of: .node(index), until: end)
        case 6, 7: network.cut(.fromController, of: .node(index), until: end)
        case 8: if nodes[index].turns.frozenUntil <= now.monotonic { connect(.node(index)) }
        case 9, 10: inject(.hang, into: index, until: end)
        case 11, 12: inject(.offline, into: index, until: end)
        case 13: inject(.reset, into: index, until: end)
        case 14, 15: nodes[index].dieWriting(until: end)
        case 16: if faults.secondControllers { startSecondController(frozenUntil: end) }
        case 17: if faults.fullDisks { disk.isFull.toggle() }
        case 18, 19: if faults.slowObservers { observers[index % observers.count].slowDown(until: end) }
        case 20: disconnect(.stream(index % observers.count))
        default: inject(.flip, into: index, until: end)
        }
    }

    private mutating func stopNode(_ index: Int, until start: MonotonicTime) {
        guard nodes[index].turns.frozenUntil <= now.monotonic else { return }
        stepNode(index, .stopping)
        kill(index, until: start)
    }

    private mutating func freezeController(until end: MonotonicTime) {
        // All effects leave first: to stop in between would only delay them. Room on the disk may add more
        // effects.
        while let index = controllers.newestIndex, !controllers[index].effects.isEmpty {
            commitAndSend(controllers.newest)
        }
        if let index = controllers.newestIndex { controllers[index].turns.freeze(until: end) }
    }

    /// Starts a second controller process beside one that is frozen or still active.
    private mutating func startSecondController(frozenUntil end: MonotonicTime) {
        guard controllers.count == 1, controllers.newestIndex != nil else { return }
        if Bool.random(using: &random.main) { freezeController(until: end) }
        ledger.seen.insert("second controller")
        controllers.segmentsBeforeTakeover = disk.segments
        schedule(.takeover, after: planted(.journalBeforeEpoch) ? .milliseconds(200) : .zero)
        for index in nodes.indices where Bool.random(using: &random.main) { connectSoon(.node(index)) }
        for index in clients.indices where Bool.random(using: &random.main) { connectSoon(.client(index)) }
        for index in observers.indices {
            disconnect(.observer(index))
            disconnect(.stream(index))
        }
    }

    private mutating func inject(_ fault: Fault, into index: Int, until end: MonotonicTime) {
        guard nodes[index].isAlive else { return }
        let slot = Int.random(in: 0..<NodeProcess.devices, using: &random.main)
        guard let row = nodes[index].row(of: slot) else { return }
        let duration = now.monotonic.duration(to: end)
        let body = ControllerMessage.Body.fault(fault, devices: [row.device], duration: duration)
        stepNode(index, .controller(ControllerMessage(epoch: disk.epoch, body: body)))
    }

    mutating func causePartition() {
        guard !isHealed, let interval = faults.partitionInterval else { return }
        schedule(.partition, after: interval)
        processFaults += 1
        let cut = network.causePartition(at: now.monotonic, using: &random.partitions, into: &events)
        if let cut { log("\(cut)") }
    }

    mutating func clog(_ party: Party, until end: MonotonicTime) {
        guard !isHealed else { return }
        log("\(party) is clogged until \(end.nanoseconds) ns")
        network.clog(party, until: end)
    }

    mutating func stepClock() {
        guard !isHealed else { return }
        let pause = Int.random(in: 300...2_000, using: &random.partitions)
        schedule(.clockStep, after: .milliseconds(pause))
        guard let index = controllers.newestIndex else { return }
        processFaults += 1
        ledger.seen.insert("clock step")
        let error = Duration.milliseconds(Int.random(in: -3_000...3_000, using: &random.partitions))
        controllers[index].clockError = error
        log("the clock of controller \(controllers.newest) has an error of \(error)")
    }

    /// Ends faults and load, and starts all processes that are not running.
    mutating func heal() {
        isHealed = true
        disk.isFull = false
        for number in controllers.numbers where number != controllers.newest {
            end(number, "is ended by its supervisor")
        }
        if let index = controllers.newestIndex { controllers[index].turns.resume() }
        startController()
        for index in observers.indices { observers[index].slowDown(until: .zero) }
        network.heal()
        for index in nodes.indices {
            nodes[index].dieWriting(until: nil)
            startNode(index)
        }
    }
}
