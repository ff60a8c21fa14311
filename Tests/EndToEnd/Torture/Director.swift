import DeviceLogs
import FleetProtocol
import Glibc
import ProcessSupport
import TestSupport
import Testing

/// Causes one fault after another, and repairs those that do not end on their own.
final class Director {
    private static let clock = ContinuousClock()
    /// The maximum time for the end of a controller that is refused.
    private static let refusedWithin = Duration.seconds(10)
    /// The maximum time for the end of a fleet.
    private static let endAtMost = Duration.seconds(3)
    /// One of this many kills of the controller has another fault during the recovery.
    private static let interruptedOnceIn = 4
    /// The time without another fault after a kill whose recovery is judged, if it takes that long.
    private static let recoveredAtLast = Duration.seconds(10)
    /// The time without another fault after a network fault, and the maximum for the recovery from it.
    private static let healedAtLast = Duration.seconds(15)

    private let fleet: TortureFleet
    private let disk: TortureFleet.Disk?
    private let observer: TortureObserver
    private let history: History
    private let isRushed: Box<Bool>
    private var generator: SeededGenerator

    /// What the devices did, as far as their nodes have ended.
    private(set) var devices = DeviceLog()
    private(set) var struck: [TorturePlan.Fault: Int] = [:]
    private(set) var kills: [Recoveries.Kill] = []
    /// The time of the gateway's last kill.
    private(set) var gatewayKilledAt: ContinuousClock.Instant?
    private(set) var stops: [Duration] = []
    /// The times from the end of network faults until every device was online and a new toggle succeeded.
    private(set) var healings: [NetworkFault: [Duration]] = [:]
    /// The faults with their times, by the clock of request IDs: the first digits of an ID made at that time.
    private(set) var diary: [String] = []
    private(set) var violations: [Violation] = []

    init(
        _ fleet: TortureFleet, disk: TortureFleet.Disk?, observer: TortureObserver, _ history: History,
        isRushed: Box<Bool>
    ) {
        (self.fleet, self.disk, self.observer) = (fleet, disk, observer)
        (self.history, self.isRushed) = (history, isRushed)
        generator = SeededGenerator.derived(seed: fleet.plan.seed, purpose: 1)
    }

    /// Causes every fault of the plan.
    func run() async throws {
        for fault in fleet.plan.script(using: &generator) {
            let gap = generator.waitingTime(perSecond: .seconds(1) / fleet.plan.meanGap)
            await Pace.wait(min(gap, fleet.plan.meanGap * 4))
            // A kill without requests in flight tests little.
            isRushed.value = true
            await Pace.wait(.milliseconds(Int64.random(in: 50...250, using: &generator)))
            log(fault.name)
            defer { isRushed.value = false }
            guard try await strike(fault) else {
                log("in vain")
                continue
            }
            log("over")
            struck[fault, default: 0] += 1
        }
    }

    /// Ends the fleet, so that the last entries of the devices can be read.
    func end() async throws {
        try await stopAndRead()
    }

    /// - Returns: false if that was not possible.
    private func strike(_ fault: TorturePlan.Fault) async throws -> Bool {
        switch fault {
        case .controllerKill: return try await killController()
        case .nodeKill: return try await killNode()
        case .observerKill: return await observer.kill()
        case .gatewayKill: return try await killGateway()
        case .freeze: return try await freeze()
        case .secondController: return try await startSecondController()
        case .stop:
            try await stopAndRead()
            try await fleet.up()
            return true
        case .fullDisk: return try await fillDisk()
        case .network(let fault): return try await disturb(fault)
        case .killInFreeze: preconditionFailure("the controller is killed while a node happens to be frozen")
        }
    }

    private func killController() async throws -> Bool {
        // The previous one may not be back yet.
        guard await fleet.awaitedProcessID("controller") != nil else {
            fail(.processes, "the controller is not started again within 5 s")
            return false
        }
        let isAlone = Int.random(in: 0..<Self.interruptedOnceIn, using: &generator) > 0
        let now = Self.clock.now
        guard try await fleet.kill("controller") else { return false }
        isRushed.value = false
        kills.append(Recoveries.Kill(at: now, isAlone: isAlone))
        guard isAlone else { return true }
        // A fault during the recovery, such as a freeze of the new controller, takes its own time.
        _ = await Pace.look(for: Self.recoveredAtLast) { history.firstSuccess(after: now) != nil }
        return true
    }

    private func killGateway() async throws -> Bool {
        guard await fleet.awaitedProcessID("gateway") != nil, try await fleet.kill("gateway") else {
            fail(.processes, "the gateway is not started again within 5 s")
            return false
        }
        isRushed.value = false
        gatewayKilledAt = Self.clock.now
        return true
    }

    private func killNode() async throws -> Bool {
        let node = TortureFleet.nodeNames.randomElement(using: &generator) ?? "node-1"
        guard await fleet.awaitedProcessID(node) != nil, try await fleet.kill(node) else {
            fail(.processes, "\(node) is not there 5 s after it was started")
            return false
        }
        isRushed.value = false
        // Long enough for its devices to be lost in some cases.
        await Pace.wait(.milliseconds(Int64.random(in: 0...2_500, using: &generator)))
        try devices.read(fleet.memoryFile(of: node))
        try await fleet.restart(node)
        return true
    }

    /// Freezes a process; while a node is frozen, sometimes kills the controller too.
    private func freeze() async throws -> Bool {
        let names = ["controller"] + TortureFleet.nodeNames
        let longest = Int64(fleet.plan.longestFreeze / .milliseconds(1))
        let duration = Duration.milliseconds(Int64.random(in: 100...longest, using: &generator))
        let name = names.randomElement(using: &generator) ?? "controller"
        let isKillWanted = Int.random(in: 0..<3, using: &generator) == 0
        guard let processID = await fleet.awaitedProcessID(name) else { return false }
        Glibc.kill(processID, SIGSTOP)
        defer { Glibc.kill(processID, SIGCONT) }
        await Pace.wait(duration / 2)
        isRushed.value = false
        if name != "controller", isKillWanted, try await fleet.kill("controller") {
            struck[.killInFreeze, default: 0] += 1
            kills.append(Recoveries.Kill(at: Self.clock.now, isAlone: false))
        }
        await Pace.wait(duration / 2)
        return true
    }

    /// Starts a second one beside the first: with the lock, and then without it.
    private func startSecondController() async throws -> Bool {
        guard let first = await fleet.awaitedProcessID("controller") else { return false }
        try await startSecond(beside: first, refusedWith: "is held by process \(first)")
        if fleet.processID("controller") != first { fail(.processes, "a second controller ended the first") }
        // While nodes return, the first must store that it has received their messages.
        guard try await fleet.isWhole(within: .seconds(10)), fleet.processID("controller") == first else {
            return false
        }
        let lock = fleet.directory.lockFile(for: "controller")
        guard rename(lock, "\(lock).away") == 0 else { return false }
        try await startSecond(beside: first, refusedWith: "is in use by another process")
        // A controller that has succeeded the first has its own lock.
        if TortureFleet.isAlive(first) { rename("\(lock).away", lock) }
        return try await endOvertaken(first)
    }

    /// Starts a controller that must be refused, with that message, as long as the first runs.
    private func startSecond(beside first: Int32, refusedWith text: String) async throws {
        let timeout = Self.refusedWithin.slowed
        let second = try await fleet.lab.run(
            "controller", ["serve", "--run-dir", fleet.directory.path, "--demo-account"]
        ) { processID in
            // The first ends at once if it has to begin a journal segment now, and the second succeeds it.
            _ = await Pace.look(for: timeout) {
                !TortureFleet.isAlive(processID) || !TortureFleet.isAlive(first)
            }
            if TortureFleet.isAlive(processID) { Glibc.kill(processID, SIGTERM) }
        }
        guard TortureFleet.isAlive(first) else { return }
        if second.status != 1 || !second.talk.contains(text) {
            fail(.processes, "a second controller ended with \(second.status): \(second.talk)")
        }
    }

    /// Makes a controller that was overtaken write entries other than requests.
    ///
    /// The one beside it stored a later epoch before it was refused the journal, so the first ends then.
    private func endOvertaken(_ first: Int32) async throws -> Bool {
        isRushed.value = false
        _ = try await fleet.lab.fleet([
            "post", "write", "A second controller was started", "--run-dir", fleet.directory.path,
        ])
        let took = await Pace.look(for: .seconds(5).slowed) { !TortureFleet.isAlive(first) }
        if took == nil { fail(.processes, "a controller that was overtaken goes on") }
        return took != nil
    }

    private func stopAndRead() async throws {
        let took = try await fleet.stop()
        isRushed.value = false
        stops.append(took)
        if took > Self.endAtMost.slowed { fail(.processes, "the fleet took \(took) to end") }
        for node in TortureFleet.nodeNames { try devices.read(fleet.memoryFile(of: node)) }
    }

    private func fillDisk() async throws -> Bool {
        guard let disk else { return false }
        try disk.shrink()
        isRushed.value = false
        await Pace.wait(.milliseconds(Int64.random(in: 500...2_000, using: &generator)))
        try disk.grow()
        return true
    }

    private func disturb(_ fault: NetworkFault) async throws -> Bool {
        guard let network = fleet.network else { return false }
        log(try await network.strike(fault, using: &generator) { isRushed.value = false })
        guard Int.random(in: 0..<Self.interruptedOnceIn, using: &generator) > 0 else { return true }
        let now = Self.clock.now
        let took = try await Pace.look(for: Self.healedAtLast.slowed) {
            guard history.firstSuccess(after: now) != nil else { return false }
            return try await fleet.isWhole(within: .seconds(1))
        }
        if let took {
            healings[fault, default: []].append(took)
        } else {
            fail(.recovery, "\(fault.name): not every device is online, or no toggle succeeds, after its end")
        }
        return true
    }

    private func log(_ text: String) {
        var stranger = SeededGenerator(seed: 0)
        let id = RequestID(at: SystemClock().now().wall, using: &stranger)
        diary.append("\(id.description.prefix(13)) \(text)")
    }

    private func fail(_ promise: Violation.Promise, _ text: String) {
        violations.append(Violation(promise: promise, text: text))
    }
}
