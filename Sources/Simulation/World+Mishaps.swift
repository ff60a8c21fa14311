import ControllerCore
import DeviceCore
import FleetProtocol
import FleetTime
import PlantedBugs

/// What goes wrong, until it is healed.
extension World {
    mutating func causeMishap() {
        guard !isHealed else { return }
        events.set(.mishap, at: now.monotonic.advanced(by: weather.mishapEvery))
        let index = Int.random(in: hosts.indices, using: &generator)
        let end = now.monotonic.advanced(by: .milliseconds(Int.random(in: 50...2_000, using: &generator)))
        faults += 1
        switch Int.random(in: 0..<24, using: &generator) {
        case 0: kill(index, until: end)
        case 1: stepNodeIfAwake(index, leavingUntil: end)
        case 2: hosts[index].frozenUntil = max(hosts[index].frozenUntil, end)
        case 3: freezeController(until: min(end, soon))
        case 4, 5: hosts[index].cable.toController.cutUntil = end
        case 6, 7: hosts[index].cable.fromController.cutUntil = end
        case 8: reconnect(index)
        case 9, 10: inject(.hang, at: index, until: end)
        case 11, 12: inject(.offline, at: index, until: end)
        case 13: inject(.reset, at: index, until: end)
        case 14, 15: hosts[index].diesWritingUntil = end
        case 16: if hazards.secondControllers { startSecond(frozenUntil: end) }
        case 17: if hazards.fullDisks { disk.isFull.toggle() }
        case 18, 19: if hazards.slowWatchers { watchers[index % watchers.count].slowUntil = end }
        case 20: lose(.stream(index % watchers.count))
        default: inject(.flip, at: index, until: end)
        }
    }

    private var soon: MonotonicTime { now.monotonic.advanced(by: .milliseconds(700)) }

    mutating func kill(_ index: Int, until end: MonotonicTime) {
        hosts[index].die()
        events.set(.revival(index), at: end)
    }

    private mutating func stepNodeIfAwake(_ index: Int, leavingUntil end: MonotonicTime) {
        guard hosts[index].frozenUntil <= now.monotonic else { return }
        stepNode(index, .stopping)
        kill(index, until: end)
    }

    private mutating func reconnect(_ index: Int) {
        guard hosts[index].frozenUntil <= now.monotonic else { return }
        connect(.host(index))
    }

    private mutating func freezeController(until end: MonotonicTime) {
        // What it has decided leaves first: to stop it in between would be to hold up its messages. Room on
        // the disk makes it decide more while it does so.
        while let life = lives.place(of: newest), !lives[life].effects.isEmpty { carryOut(newest) }
        if let life = lives.place(of: newest) { lives[life].frozenUntil = max(lives[life].frozenUntil, end) }
    }

    /// A second controller takes over from one that is frozen, or thinks that it is in charge.
    private mutating func startSecond(frozenUntil end: MonotonicTime) {
        guard lives.count == 1, lives.place(of: newest) != nil else { return }
        if Bool.random(using: &generator) { freezeController(until: end) }
        ledger.seen.insert("second controller")
        glimpse = disk.segments
        let pause = planted(.journalBeforeEpoch) ? Duration.milliseconds(200) : .zero
        events.set(.takeover, at: now.monotonic.advanced(by: pause))
        for index in hosts.indices where Bool.random(using: &generator) { connectSoon(.host(index)) }
        for index in customers.indices where Bool.random(using: &generator) { connectSoon(.customer(index)) }
        for index in watchers.indices {
            lose(.watcher(index))
            lose(.stream(index))
        }
    }

    private mutating func inject(_ fault: Fault, at index: Int, until end: MonotonicTime) {
        guard let row = hosts[index].node?.truth.randomElement(using: &generator) else { return }
        let duration = now.monotonic.duration(to: end)
        let body = ControllerMessage.Body.fault(fault, devices: [row.device], duration: duration)
        stepNode(index, .controller(ControllerMessage(epoch: disk.epoch, body: body)))
    }

    /// From now on nothing is lost, nobody asks, and everybody is there.
    mutating func heal() {
        isHealed = true
        weather = .fair
        disk.isFull = false
        for number in lives.numbers where number != newest { end(number, "is ended by its supervisor") }
        if let life = lives.place(of: newest) { lives[life].frozenUntil = .zero }
        startController()
        for index in watchers.indices { watchers[index].slowUntil = .zero }
        mendCables()
        for index in hosts.indices {
            hosts[index].diesWritingUntil = nil
            revive(index)
        }
    }
}
