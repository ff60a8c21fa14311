import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Faults of a node's devices and their ends")
struct NodeFaultTests {
    private static let order = OrderID(bits: 7)
    private var bench = NodeBench()

    @discardableResult
    private mutating func heal(_ slots: [Int] = []) -> [Node.Effect] {
        let rows = bench.node.truth
        return bench.send(.heal(Self.order, devices: slots.map { rows[$0].device }))
    }

    /// The number of devices that the node reports as healed; nil if it reports nothing.
    private func healed(_ effects: [Node.Effect]) -> UInt32? {
        if case .done(Self.order, let devices, _)? = effects.done { devices } else { nil }
    }

    @Test("a slow device executes commands with the injected delay, for the injected time")
    mutating func slow() {
        #expect(bench.inject(.slow, [1], for: .seconds(5), delay: .seconds(2)).isEmpty)
        #expect(bench.send(.command(bench.toggle(1))).isEmpty)
        #expect(bench.turn(after: .milliseconds(1_999)).results.isEmpty)
        let late = bench.turn(after: .milliseconds(1)).results
        #expect(late.map(\.verdict) == [.applied])
        #expect(late.first?.deviceUs == 2_000_000)
        bench.turn(after: .seconds(3))
        #expect(bench.send(.command(bench.toggle(1, number: 2))).verdicts == [.applied])
    }

    /// The node's reply to an order that lists active faults.
    private mutating func listed() -> FaultList? {
        for case .faults(Self.order, let list) in bench.send(.listFaults(Self.order)).sent { return list }
        return nil
    }

    @Test("lasting faults are listed with the time left, until they end or are healed")
    mutating func list() {
        #expect(listed() == FaultList())
        bench.inject(.hang, [3], for: .seconds(10))
        bench.inject(.slow, [1], for: .seconds(5), delay: .seconds(2))
        bench.inject(.offline, [1], for: .seconds(20))
        bench.inject(.reboot, [2], for: .seconds(8))
        bench.inject(.flip, [4])
        bench.turn(after: .seconds(1))
        let devices = bench.node.truth.map(\.device)
        let expected = [
            ActiveFault(device: devices[1], fault: .offline, remaining: .seconds(19)),
            ActiveFault(device: devices[1], fault: .slow, remaining: .seconds(4), delay: .seconds(2)),
            ActiveFault(device: devices[2], fault: .reboot, remaining: .seconds(7)),
            ActiveFault(device: devices[3], fault: .hang, remaining: .seconds(9)),
        ]
        #expect(listed() == FaultList(faults: expected, total: 4))
        heal([1])
        bench.turn(after: .seconds(7))
        let hang = ActiveFault(device: devices[3], fault: .hang, remaining: .seconds(2))
        #expect(listed() == FaultList(faults: [hang], total: 1))
    }

    @Test("of many active faults those of the first slots are listed, and all are counted")
    func manyFaults() {
        var faults = Faults()
        for slot in stride(from: 0, to: 20_000, by: 2) {
            faults.begin(.hang, of: slot, until: .zero.advanced(by: .seconds(1)), delay: .zero)
        }
        let active = faults.active(in: 20_000, upTo: 3)
        #expect(active.faults.map(\.slot) == [0, 2, 4])
        #expect(active.total == 10_000)
    }

    @Test("a second slow fault has the later end and the newer delay")
    mutating func slowTwice() {
        bench.inject(.slow, [1], for: .seconds(60), delay: .seconds(4))
        bench.inject(.slow, [1], for: .seconds(1), delay: .seconds(1))
        bench.turn(after: .seconds(10))
        bench.send(.command(bench.toggle(1)))
        #expect(bench.turn(after: .seconds(1)).verdicts == [.applied])
    }

    @Test("a crash happens once for any number of devices, and not without a device of the node")
    mutating func crash() {
        #expect(bench.inject(.crash, [0, 1, 2]) == [.crash])
        let stranger = DeviceID(fleetSeed: 99, index: 0)
        #expect(bench.send(.fault(.crash, devices: [stranger], duration: .zero)).isEmpty)
    }

    @Test("a rebooting device is offline, keeps its memory, and loses its pending command and its hang")
    mutating func reboot() {
        let before = bench.node.truth[3].reported
        let command = bench.toggle(3)
        bench.inject(.hang, [3], for: .seconds(60))
        bench.send(.command(command))
        #expect(bench.inject(.reboot, [3], for: .seconds(2)).published.map(\.isConnected) == [false])
        #expect(bench.send(.command(command)).isEmpty)
        let back = bench.turn(after: .seconds(2))
        #expect(back.published.map(\.isConnected) == [true])
        #expect(back.results.isEmpty)
        #expect(back.published.map(\.reported) == [before])
        #expect(bench.send(.command(command)).verdicts == [.applied])
    }

    @Test(
        "a healed device is online at once, and stays so at the fault's former end",
        arguments: [.offline, .reboot] as [Fault])
    mutating func healOffline(fault: Fault) {
        bench.inject(fault, [2], for: .seconds(10))
        let effects = heal([2])
        #expect(effects.published.map(\.isConnected) == [true])
        #expect(healed(effects) == 1)
        #expect(bench.turn(after: .seconds(10)).published.isEmpty)
        #expect(healed(heal([2])) == 0)
    }

    @Test("a pending command is executed when its device is healed", arguments: [.hang, .slow] as [Fault])
    mutating func healHeld(fault: Fault) {
        bench.inject(fault, [4], for: .seconds(60), delay: .seconds(4))
        bench.send(.command(bench.toggle(4)))
        bench.turn(after: .seconds(1))
        let effects = heal([4])
        #expect(effects.verdicts == [.applied])
        #expect(healed(effects) == 1)
    }

    @Test("a fault that begins after a heal lasts its full time")
    mutating func illAgain() {
        bench.inject(.offline, [2], for: .seconds(2))
        heal()
        bench.inject(.offline, [2], for: .seconds(10))
        #expect(bench.turn(after: .seconds(2)).published.isEmpty)
        #expect(bench.turn(after: .seconds(8)).published.map(\.isConnected) == [true])
    }

    @Test("a heal of some devices does not affect others")
    mutating func healSome() {
        bench.inject(.offline, [0, 1, 2], for: .seconds(10))
        #expect(healed(heal([1, 5])) == 1)
        #expect(bench.node.truth.map(\.isConnected).prefix(3) == [false, true, false])
    }

    @Test("a heal of all devices takes several steps, and then reports the number of healed devices")
    mutating func healAll() throws {
        bench = NodeBench(devices: 40_000)
        let ill = Array(stride(from: 0, to: 40_000, by: 50))
        bench.inject(.offline, ill, for: .seconds(60))
        bench.inject(.hang, [1], for: .seconds(60))
        #expect(try steps(after: heal(), healing: ill.count + 1) == 3)
        #expect(!bench.node.truth.contains { !$0.isConnected })
    }

    @Test("a heal of many faulty devices takes as many steps as keep each one short")
    mutating func healHerd() throws {
        bench = NodeBench(devices: 5_000)
        bench.inject(.offline, Array(0..<5_000), for: .seconds(60))
        #expect(try steps(after: heal(), healing: 5_000) == 5)
        #expect(!bench.node.truth.contains { !$0.isConnected })
    }

    @Test("faults with one end are ended in several steps, with pings in between")
    mutating func endTogether() {
        bench = NodeBench(devices: 5_000)
        bench.inject(.offline, Array(0..<5_000), for: .seconds(60))
        let counts = (0..<6).map { step in
            let effects = bench.turn(after: step == 0 ? .seconds(60) : Limits.beatInterval)
            #expect(effects.sent.count == 1, "step \(step)")
            return effects.published.count
        }
        #expect(counts == [1_024, 1_024, 1_024, 1_024, 904, 0])
    }

    /// The number of steps until a heal is complete, none of which exceeds the limit of changed devices.
    private mutating func steps(after first: [Node.Effect], healing count: Int) throws -> Int {
        var (effects, steps) = (first, 1)
        while true {
            #expect(effects.published.count <= Node.eventsPerStep)
            if let healed = healed(effects) {
                #expect(healed == UInt32(count))
                return steps
            }
            try #require(bench.node.nextDue.map { $0 <= bench.now.monotonic } ?? false)
            effects = bench.turn(after: .zero)
            steps += 1
        }
    }

    @Test("a device that answers late is not counted as faulty")
    mutating func wellThoughLate() {
        var scenario = Scenario.quiet
        scenario.answer = .fixed(.seconds(1))
        bench = NodeBench(scenario)
        bench.send(.command(bench.toggle(0)))
        let effects = heal()
        #expect(healed(effects) == 0)
        #expect(effects.results.isEmpty)
        #expect(bench.turn(after: .seconds(1)).verdicts == [.applied])
    }
}
