import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Devices that leave a running node")
struct NodeRetirementTests {
    private static let order = OrderID(bits: 5)
    private var bench = NodeBench()

    private mutating func retire(_ slots: [Int]) -> NodeMessage.Body? {
        let devices = slots.map { DeviceID(fleetSeed: 1, index: UInt64($0)) }
        return bench.send(.retire(Self.order, devices: devices)).done
    }

    @Test("the last devices leave in any order of names, and the others are unchanged")
    mutating func last() throws {
        let before = bench.node.truth
        let answer = retire([8, 9, 7])
        #expect(answer == .done(Self.order, devices: 3))
        #expect(bench.node.truth == Array(before.prefix(7)))
        let chunk = try bench.chunk()
        #expect(chunk.rows.map(\.device) == Array(before.prefix(7)))
        #expect(chunk.isLast)
        #expect(try bench.hello().devices == 7)
    }

    @Test("a device that has left already leaves once", arguments: [[9], [], [9, 8], [9, 42]])
    mutating func again(slots: [Int]) {
        _ = retire([9])
        let answer = retire(slots)
        #expect(answer == .done(Self.order, devices: slots.contains(8) ? 1 : 0))
    }

    @Test("devices that are not the last all stay", arguments: [[3], [9, 7], [0, 1, 2]])
    mutating func notLast(slots: [Int]) {
        let answer = retire(slots)
        #expect(answer == .done(Self.order, devices: 0, .notLast))
        #expect(bench.node.truth.count == 10)
    }

    @Test("a device that has left gives no answer, no change and no end of a fault")
    mutating func silence() {
        let command = bench.toggle(9)
        let device = command.identity.device
        bench.send(.fault(.hang, devices: [device], duration: .seconds(2)))
        bench.send(.command(command))
        bench.inject(.offline, [8], for: .seconds(2))
        _ = retire([8, 9])
        #expect(bench.send(.command(command)).isEmpty)
        #expect(bench.send(.abort(command.identity)).isEmpty)
        #expect(bench.send(.fault(.flip, devices: [device], duration: .zero)).isEmpty)
        let later = bench.turn(after: .seconds(10))
        #expect(later.results.isEmpty)
        #expect(later.published.isEmpty)
    }

    @Test("a node without devices continues without events")
    mutating func noneLeft() {
        var scenario = Scenario.lively
        scenario.herd = Scenario.Herd(times: [.noon], part: 1, lasting: .seconds(10))
        bench = NodeBench(scenario)
        bench.run(until: .seconds(30))
        _ = retire(Array(0..<10))
        #expect(bench.published(until: .seconds(300)).isEmpty)
        bench.step(.scenario(Self.order, .lively, beganAt: bench.now.wall))
        bench.send(.heal(Self.order, devices: []))
        #expect(bench.published(until: .seconds(400)).isEmpty)
    }

    @Test(
        "the remaining devices measure at their interval, regardless of how many have left",
        arguments: [1, 7, 10])
    mutating func measuring(left: Int) {
        var scenario = Scenario.quiet
        scenario.clock.speed = 9_000
        bench = NodeBench(scenario, devices: 10_000)
        bench.run(until: .milliseconds(50))
        for start in stride(from: 9_000, through: 0, by: -1_000) {
            _ = retire(Array(max(left, start)..<start + 1_000))
        }
        #expect(bench.node.truth.count == left)
        // A round takes 10 ms, and a step is taken at most every 20 ms: at least every second round.
        var counts: [DeviceID: Int] = [:]
        for one in bench.measured(until: .seconds(1)) { counts[one.device, default: 0] += 1 }
        #expect(Set(counts.keys) == Set(bench.node.truth.map(\.device)))
        #expect(counts.values.allSatisfy { (30...101).contains($0) }, "\(counts)")
    }

    @Test("a device that has left stays in the memory, in case it returns with another run of the node")
    mutating func remembered() throws {
        bench.send(.command(bench.toggle(9)))
        let before = bench.node.truth[9].reported
        _ = retire([9])
        #expect(try bench.memory()[DeviceID(fleetSeed: 1, index: 9)]?.reported == before)
    }
}
