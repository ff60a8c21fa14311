import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Orders of operators to nodes")
struct OrderTests {
    private static let otherNode = ConnectionID(high: 3, low: 3)
    private static let otherBoot = BootID(bits: 0xb00d)

    private let bench = Bench.withDevices()

    /// A second node comes, which has no devices.
    private func addNode() {
        let rows = bench.rows
        bench.rows = []
        bench.hello("node-2", boot: Self.otherBoot, on: Self.otherNode)
        bench.rows = rows
        bench.effects = []
    }

    /// The last heal order that a node was sent.
    private func heal(at connection: ConnectionID = Bench.node) throws -> (OrderID, [DeviceID]) {
        let orders: [(OrderID, [DeviceID])] = bench.sent(to: connection).compactMap {
            if case .heal(let id, let devices) = $0 { (id, devices) } else { nil }
        }
        return try #require(orders.last)
    }

    @Test("a heal is answered when every node has confirmed it, with the total of devices")
    func everyNode() throws {
        addNode()
        let asked = bench.ask(.heal([]))
        let order = try heal()
        #expect(order.1.isEmpty)
        #expect(try heal(at: Self.otherNode).0 == order.0)
        bench.send(.done(order.0, devices: 2))
        #expect(bench.replies(to: asked).isEmpty)
        bench.send(.done(order.0, devices: 2))
        #expect(bench.replies(to: asked).isEmpty)
        bench.send(.done(order.0, devices: 3), boot: Self.otherBoot, on: Self.otherNode)
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(devices: 5, nodes: 2))])
    }

    @Test("a node that does not confirm in time is counted as silent, and its late answer is ignored")
    func silentNode() throws {
        let asked = bench.ask(.heal([]))
        let order = try heal().0
        bench.passWithPings(.milliseconds(2_500))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(silentNodes: 1))])
        bench.send(.done(order, devices: 2))
        #expect(bench.replies(to: asked).count == 1)
    }

    @Test("the active faults of all nodes are in one list, which omits devices that a node does not own")
    func faults() throws {
        addNode()
        let asked = bench.ask(.faults)
        let orders = bench.sent().compactMap { if case .listFaults(let id) = $0 { id } else { nil } }
        let order = try #require(orders.last)
        let own = ActiveFault(device: bench.rows[1].device, fault: .hang, remaining: .seconds(9))
        bench.send(.faults(order, FaultList(faults: [own], total: 3)))
        #expect(bench.replies(to: asked).isEmpty)
        let forged = FaultList(faults: [own], total: 1)
        bench.send(.faults(order, forged), boot: Self.otherBoot, on: Self.otherNode)
        #expect(bench.replies(to: asked) == [.faults(FaultList(faults: [own], total: 4))])
    }

    @Test("a node that does not list its faults in time is counted")
    func silentList() {
        let asked = bench.ask(.faults)
        bench.passWithPings(.milliseconds(2_500))
        #expect(bench.replies(to: asked) == [.faults(FaultList(silentNodes: 1))])
    }

    @Test("only operators can list active faults, and the list is empty without a reachable node")
    func listRefused() {
        #expect(bench.refusal(to: .faults, token: Bench.viewerToken)?.kind == "notAllowed")
        bench.send(.leaving)
        #expect(bench.replies(to: bench.ask(.faults)) == [.faults(FaultList())])
    }

    @Test("a heal of named devices goes to their node alone")
    func named() throws {
        addNode()
        let devices = [bench.rows[2].device, bench.rows[0].device]
        let asked = bench.ask(.heal(devices))
        let order = try heal()
        #expect(order.1 == devices)
        #expect(bench.sent(to: Self.otherNode).isEmpty)
        bench.send(.done(order.0, devices: 1))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport(devices: 1, nodes: 1))])
    }

    @Test("a heal of all devices skips nodes that are offline, and is answered at once without nodes")
    func withoutNodes() {
        bench.send(.leaving)
        let asked = bench.ask(.heal([]))
        #expect(bench.replies(to: asked) == [.carriedOut(OrderReport())])
    }

    @Test("a heal of an unknown or offline device is refused, and no order is sent")
    func refusals() {
        let stranger = DeviceID(fleetSeed: 5, index: 0)
        bench.passWithPings(.seconds(2))
        bench.effects = []
        #expect(bench.refusal(to: .heal([bench.rows[0].device, stranger])) == .notFound)
        bench.send(.leaving)
        #expect(bench.refusal(to: .heal([bench.rows[0].device]))?.kind == "offline")
        #expect(bench.sent().isEmpty)
    }

    @Test("only operators can heal devices, and a slow fault needs a delay")
    func notAllowed() {
        #expect(bench.refusal(to: .heal([]), token: Bench.viewerToken)?.kind == "notAllowed")
        let device = bench.rows[0].device
        let slow = ClientRequest.Body.inject(.slow, devices: [device], duration: .seconds(1), delay: .zero)
        #expect(bench.refusal(to: slow)?.kind == "invalid")
        #expect(bench.sent().isEmpty)
    }

    @Test("a scenario is sent to every node, and their results are added up")
    func scenario() throws {
        addNode()
        let beganAt = WallTime(unixMilliseconds: 1_700_000_000_000)
        let asked = bench.ask(.scenario("worst-day", beganAt: beganAt))
        let orders = bench.effects.compactMap { effect -> OrderID? in
            guard case .send(_, let message) = effect,
                case .scenario(let id, "worst-day", beganAt) = message.body
            else {
                return nil
            }
            return id
        }
        #expect(orders.count == 2)
        let order = try #require(orders.first)
        bench.send(.done(order, devices: 3, .populationUnchanged))
        bench.send(.done(order, devices: 0, .unreadable), boot: Self.otherBoot, on: Self.otherNode)
        let report = OrderReport(devices: 3, nodes: 1, refusingNodes: 1, unchangedPopulations: 1)
        #expect(bench.replies(to: asked) == [.carriedOut(report)])
        #expect(
            bench.refusal(to: .scenario("x", beganAt: nil), token: Bench.viewerToken)?.kind == "notAllowed")
    }

    @Test("the number of unanswered orders is bounded")
    func bound() throws {
        for _ in 0..<Limits.orders { bench.ask(.heal([])) }
        #expect(bench.refusal(to: .heal([]))?.kind == "busy")
        bench.passWithPings(.seconds(3))
        bench.effects = []
        bench.ask(.heal([]))
        _ = try heal()
    }
}
