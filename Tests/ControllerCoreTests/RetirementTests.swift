import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Retired devices")
struct RetirementTests {
    /// The IDs of the scripted node's devices.
    private func devices(_ indices: [Int]) -> [DeviceID] {
        indices.map { DeviceID(fleetSeed: 1, index: UInt64($0)) }
    }

    /// A bench that has known its devices for a while.
    private func settled() throws -> Bench {
        let bench = try Bench.withDevices()
        bench.passWithPings(.seconds(2))
        bench.effects = []
        return bench
    }

    private func order(_ bench: Bench) throws -> (OrderID, [DeviceID]) {
        let orders: [(OrderID, [DeviceID])] = bench.sent().compactMap {
            if case .retire(let id, let devices) = $0 { (id, devices) } else { nil }
        }
        return try #require(orders.last)
    }

    private func removed(_ bench: Bench) -> [DeviceID] {
        bench.updates.compactMap { if case .removed(let device) = $0.body { device } else { nil } }
    }

    @Test("a device is removed, for observers too, only after its node has confirmed the retirement")
    func asked() throws {
        let bench = try settled()
        let asked = bench.ask(.retire(devices([2, 1])))
        let order = try order(bench)
        #expect(order.1 == devices([2, 1]))
        #expect(removed(bench).isEmpty)
        bench.send(.done(order.0, devices: 2))
        #expect(removed(bench) == devices([2, 1]))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(devices: 2, nodes: 1))])
        #expect(bench.refusal(of: bench.toggle(2).correlation) == .notFound)
        bench.toggle(0)
        #expect(bench.commands.count == 1)
    }

    @Test("retired devices are stored as removed once, after the last of them")
    func retained() throws {
        let bench = try settled()
        for index in [2, 1] {
            bench.ask(.retire(devices([index])))
            bench.send(.done(try order(bench).0, devices: 1))
            bench.passWithPings(.milliseconds(500))
        }
        #expect(bench.directoryEntries.isEmpty)
        bench.passWithPings(.seconds(2))
        let account = try #require(AccountID("demo"))
        let list = NodeDevices(
            account: account, node: try #require(NodeName("node-1")), devices: devices([0]))
        #expect(bench.directoryEntries == [.listed(list)])
    }

    @Test("retired devices are stored as removed before an order without devices is answered")
    func storedAtOnce() throws {
        let bench = try settled()
        bench.ask(.retire(devices([2])))
        bench.send(.done(try order(bench).0, devices: 1))
        #expect(bench.directoryEntries.isEmpty)
        #expect(bench.replies(to: bench.ask(.retire([]))) == [.carriedOut(OrderReport())])
        let account = try #require(AccountID("demo"))
        let list = NodeDevices(
            account: account, node: try #require(NodeName("node-1")), devices: devices([0, 1]))
        #expect(bench.directoryEntries == [.listed(list)])
        bench.effects = []
        bench.passWithPings(.seconds(2))
        #expect(bench.directoryEntries.isEmpty, "they are stored once")
    }

    @Test("retiring a device ends its requests as undetermined, including queued ones")
    func requests() throws {
        let bench = try settled()
        let toggles = (0..<3).map { _ in bench.toggle(2).correlation }
        #expect(bench.commands.count == 1)
        bench.ask(.retire(devices([2])))
        bench.send(.done(try order(bench).0, devices: 1))
        for toggle in toggles { #expect(bench.outcome(of: toggle) == .undetermined(.deviceGone)) }
        bench.passWithPings(.seconds(10))
        #expect(bench.commands.count == 1)
    }

    @Test("a device stays if its node refuses to retire it or does not answer")
    func refused() throws {
        let bench = try settled()
        var asked = bench.ask(.retire(devices([0])))
        bench.send(.done(try order(bench).0, devices: 0, .notLast))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(refusingNodes: 1))])
        asked = bench.ask(.retire(devices([2])))
        bench.passWithPings(.milliseconds(2_500))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(silentNodes: 1))])
        #expect(removed(bench).isEmpty)
    }

    @Test("devices of an offline node are retired at once")
    func offline() throws {
        let bench = try settled()
        bench.send(.leaving)
        let asked = bench.ask(.retire(devices([2, 1, 0])))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(devices: 3))])
        #expect(removed(bench) == devices([2, 1, 0]))
    }

    @Test("unknown devices and those of other accounts count as retired already")
    func unknown() throws {
        let bench = try settled()
        let asked = bench.ask(.retire(devices([7]) + [DeviceID(fleetSeed: 9, index: 0)]))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport())])
        #expect(bench.sent().isEmpty)
    }

    @Test("after a restart, devices can be retired once their node is known not to return")
    func afterRestart() throws {
        let bench = try settled()
        try bench.restart()
        guard case .busy? = bench.refusal(of: bench.ask(.retire(devices([2])))) else {
            Issue.record("a device was retired although its node may still report it")
            return
        }
        bench.pass(.seconds(2))
        let asked = bench.ask(.retire(devices([2, 1])))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(devices: 2))])
        #expect(removed(bench) == devices([2, 1]))
        bench.pass(.seconds(3))
        try bench.restart()
        bench.pass(.seconds(2))
        guard case .status(let status)? = bench.replies(to: bench.ask(.status)).first else {
            Issue.record("no status")
            return
        }
        #expect(status.devices == 1)
    }

    @Test("only operators can retire devices, and an order without devices tests the permission")
    func notAllowed() throws {
        let bench = try settled()
        #expect(bench.replies(to: bench.ask(.retire([]))) == [.carriedOut(OrderReport())])
        guard case .notAllowed? = bench.refusal(of: bench.ask(.retire([]), token: Bench.viewerToken)) else {
            Issue.record("a user who is not an operator was not refused")
            return
        }
    }
}
