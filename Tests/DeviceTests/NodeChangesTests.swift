import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Devices that users rename and remove")
struct NodeChangesTests {
    private static let order = OrderID(bits: 5)
    private var bench = NodeBench()

    private static func device(_ slot: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(slot)) }

    @Test("a renamed device has its name in the rows that are pulled next, and no row is published")
    mutating func renamed() throws {
        let seen = bench.node.devices.lastNumber
        let effects = bench.step(.changed(DeviceChanges(names: [Self.device(3): "Salon"])))
        #expect(effects.published.isEmpty)
        guard case .send(let ping)? = effects.first, case .ping = ping.body else {
            Issue.record("no heartbeat")
            return
        }
        #expect(ping.lastNumber > seen)
        let changed = try bench.rows(since: seen)
        #expect(changed.map(\.name) == ["Salon"])
        #expect(changed.map(\.device.device) == [Self.device(3)])
        #expect(bench.step(.changed(DeviceChanges(names: [Self.device(3): "Salon"]))).isEmpty)
        bench.step(.changed(DeviceChanges()))
        #expect(try bench.rows(since: seen).map(\.name) == [bench.node.population.name(of: 3)])
    }

    @Test("a removed device has no row, and does not count in the hello")
    mutating func removed() throws {
        bench.step(.changed(DeviceChanges(removed: [Self.device(3), Self.device(9)])))
        let others = (0..<10).filter { $0 != 3 && $0 != 9 }.map(Self.device)
        #expect(try bench.rows().map(\.device.device) == others)
        #expect(bench.node.truth.map(\.device) == others)
        #expect(try bench.hello().devices == 8)
    }

    @Test("a removed device gives no answer and no change, and its retirement is confirmed")
    mutating func silence() {
        let command = bench.toggle(3)
        bench.step(.changed(DeviceChanges(removed: [Self.device(3)])))
        #expect(bench.send(.command(command)).isEmpty)
        #expect(bench.send(.fault(.flip, devices: [Self.device(3)], duration: .zero)).isEmpty)
        let answers = bench.send(.retire(Self.order, devices: [Self.device(3)])).sent
        #expect(answers == [.done(Self.order, devices: 0)])
    }

    @Test("the measurements of a removed device are not published")
    mutating func unpublished() {
        func devices(until end: Duration) -> Set<DeviceID> {
            Set(bench.measured(until: end).map(\.device))
        }
        #expect(devices(until: .seconds(120)).contains(Self.device(3)))
        bench.step(.changed(DeviceChanges(removed: [Self.device(3)])))
        let after = devices(until: .seconds(240))
        #expect(!after.contains(Self.device(3)))
        #expect(after.contains(Self.device(4)))
    }

    @Test("the last devices leave, although one of them was removed before")
    mutating func lastLeave() {
        bench.step(.changed(DeviceChanges(removed: [Self.device(8)])))
        let answers = bench.send(.retire(Self.order, devices: [9, 8, 7].map(Self.device))).sent
        #expect(answers.first == .done(Self.order, devices: 2))
        #expect(bench.node.truth.map(\.device) == (0..<7).map(Self.device))
    }
}
