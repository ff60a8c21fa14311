import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Retired devices")
struct RetirementTests {
    private let bench = Bench.withDevices()

    init() {
        bench.passWithPings(.seconds(2))
        bench.effects = []
    }

    private func devices(_ indices: [Int]) -> [DeviceID] { indices.map(Bench.device) }

    private func order() throws -> (OrderID, [DeviceID]) {
        let orders: [(OrderID, [DeviceID])] = bench.sent().compactMap {
            if case .retire(let id, let devices) = $0 { (id, devices) } else { nil }
        }
        return try #require(orders.last)
    }

    private var removed: [DeviceID] {
        bench.updates.compactMap { if case .removed(let device) = $0.body { device } else { nil } }
    }

    private func list(_ indices: [Int]) -> DirectoryEntry {
        .listed(NodeDevices(account: .demo, node: valid(NodeName("node-1")), devices: devices(indices)))
    }

    @Test("a device is removed, for observers too, only after its node has confirmed the retirement")
    func asked() throws {
        let asked = bench.ask(.retire(devices([2, 1])))
        let order = try order()
        #expect(order.1 == devices([2, 1]))
        #expect(removed.isEmpty)
        bench.send(.done(order.0, devices: 2))
        #expect(removed == devices([2, 1]))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(devices: 2, nodes: 1))])
        #expect(bench.refusal(of: bench.toggle(2).correlation) == .notFound)
        bench.toggle(0)
        #expect(bench.commands.count == 1)
    }

    @Test("retired devices are stored as removed once, after the last of them")
    func retained() throws {
        for index in [2, 1] {
            bench.ask(.retire(devices([index])))
            bench.send(.done(try order().0, devices: 1))
            bench.passWithPings(.milliseconds(500))
        }
        #expect(bench.directoryEntries.isEmpty)
        bench.passWithPings(.seconds(2))
        #expect(bench.directoryEntries == [list([0])])
    }

    @Test("retired devices are stored as removed before an order without devices is answered")
    func storedAtOnce() throws {
        bench.ask(.retire(devices([2])))
        bench.send(.done(try order().0, devices: 1))
        #expect(bench.directoryEntries.isEmpty)
        #expect(bench.replies(to: bench.ask(.retire([]))) == [.carriedOut(OrderReport())])
        #expect(bench.directoryEntries == [list([0, 1])])
        bench.effects = []
        bench.passWithPings(.seconds(2))
        #expect(bench.directoryEntries.isEmpty, "they are stored once")
    }

    @Test("retiring a device ends its requests as undetermined, including queued ones")
    func requests() throws {
        let toggles = (0..<3).map { _ in bench.toggle(2).correlation }
        #expect(bench.commands.count == 1)
        bench.ask(.retire(devices([2])))
        bench.send(.done(try order().0, devices: 1))
        for toggle in toggles { #expect(bench.outcome(of: toggle) == .undetermined(.deviceGone)) }
        bench.passWithPings(.seconds(10))
        #expect(bench.commands.count == 1)
    }

    @Test("a device stays if its node refuses to retire it or does not answer")
    func refused() throws {
        var asked = bench.ask(.retire(devices([0])))
        bench.send(.done(try order().0, devices: 0, .notLast))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(refusingNodes: 1))])
        asked = bench.ask(.retire(devices([2])))
        bench.passWithPings(.milliseconds(2_500))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(silentNodes: 1))])
        #expect(removed.isEmpty)
    }

    @Test("devices of an offline node are retired at once")
    func offline() {
        bench.send(.leaving)
        let asked = bench.ask(.retire(devices([2, 1, 0])))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(devices: 3))])
        #expect(removed == devices([2, 1, 0]))
    }

    @Test("unknown devices and those of other accounts count as retired already")
    func unknown() {
        let asked = bench.ask(.retire(devices([7]) + [DeviceID(fleetSeed: 9, index: 0)]))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport())])
        #expect(bench.sent().isEmpty)
    }

    @Test("after a restart, devices can be retired once their node is known not to return")
    func afterRestart() throws {
        try bench.restart()
        #expect(bench.refusal(to: .retire(devices([2])))?.kind == "busy")
        bench.pass(.seconds(2))
        let asked = bench.ask(.retire(devices([2, 1])))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(devices: 2))])
        #expect(removed == devices([2, 1]))
        bench.pass(.seconds(3))
        try bench.restart()
        bench.pass(.seconds(2))
        #expect(try bench.status().devices == 1)
    }

    @Test("only operators can retire devices, and an order without devices tests the permission")
    func notAllowed() {
        #expect(bench.replies(to: bench.ask(.retire([]))) == [.carriedOut(OrderReport())])
        #expect(bench.refusal(to: .retire([]), token: Bench.viewerToken)?.kind == "notAllowed")
    }
}
