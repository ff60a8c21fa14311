import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Devices that users rename and remove")
struct NodeChangesTests {
    private static let order = OrderID(bits: 5)
    private var bench: NodeBench

    init() throws {
        bench = try NodeBench()
    }

    private static func device(_ slot: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(slot)) }

    private mutating func rows(since number: ChangeNumber = .zero) -> [RowChunk.Row] {
        for case .send(let message) in bench.send(.pull(since: number, cursor: 0)) {
            if case .rows(let chunk) = message.body { return chunk.rows }
        }
        return []
    }

    @Test("a renamed device has its name in the rows that are pulled next, and no row is published")
    mutating func renamed() {
        let seen = bench.node.devices.lastNumber
        let effects = bench.step(.changed(DeviceChanges(names: [Self.device(3): "Salon"])))
        #expect(!effects.contains { if case .publish = $0 { true } else { false } })
        guard case .send(let ping)? = effects.first, case .ping = ping.body else {
            Issue.record("no heartbeat")
            return
        }
        #expect(ping.lastNumber > seen)
        let changed = rows(since: seen)
        #expect(changed.map(\.name) == ["Salon"])
        #expect(changed.map(\.device.device) == [Self.device(3)])
        #expect(bench.step(.changed(DeviceChanges(names: [Self.device(3): "Salon"]))).isEmpty)
        _ = bench.step(.changed(DeviceChanges()))
        #expect(rows(since: seen).map(\.name) == [bench.node.population.name(of: 3)])
    }

    @Test("a removed device has no row, and does not count in the hello")
    mutating func removed() {
        _ = bench.step(.changed(DeviceChanges(removed: [Self.device(3), Self.device(9)])))
        let others = (0..<10).filter { $0 != 3 && $0 != 9 }.map(Self.device)
        #expect(rows().map(\.device.device) == others)
        #expect(bench.node.truth.map(\.device) == others)
        guard case .send(let hello)? = bench.step(.connected).first, case .hello(let identity) = hello.body
        else {
            Issue.record("no hello")
            return
        }
        #expect(identity.devices == 8)
    }

    @Test("a removed device gives no answer and no change, and its retirement is confirmed")
    mutating func silence() {
        let command = bench.toggle(3)
        _ = bench.step(.changed(DeviceChanges(removed: [Self.device(3)])))
        #expect(bench.send(.command(command)).isEmpty)
        #expect(bench.send(.fault(.flip, devices: [Self.device(3)], duration: .zero)).isEmpty)
        let answers = bench.send(.retire(Self.order, devices: [Self.device(3)])).compactMap { effect in
            if case .send(let message) = effect { message.body } else { nil }
        }
        #expect(answers == [.done(Self.order, devices: 0)])
    }

    @Test("the measurements of a removed device are not published")
    mutating func unpublished() {
        #expect(measured(until: .seconds(120)).contains(Self.device(3)))
        _ = bench.step(.changed(DeviceChanges(removed: [Self.device(3)])))
        let after = measured(until: .seconds(240))
        #expect(!after.contains(Self.device(3)))
        #expect(after.contains(Self.device(4)))
    }

    @Test("the last devices leave, although one of them was removed before")
    mutating func lastLeave() {
        _ = bench.step(.changed(DeviceChanges(removed: [Self.device(8)])))
        let order = bench.send(.retire(Self.order, devices: [9, 8, 7].map(Self.device)))
        guard case .send(let message)? = order.first else {
            Issue.record("no answer")
            return
        }
        #expect(message.body == .done(Self.order, devices: 2))
        #expect(bench.node.truth.map(\.device) == (0..<7).map(Self.device))
    }

    private mutating func measured(until end: Duration) -> Set<DeviceID> {
        var devices: Set<DeviceID> = []
        bench.run(until: end) { _, effect in
            if case .measured(let measured) = effect { devices.formUnion(measured.map(\.device)) }
        }
        return devices
    }
}
