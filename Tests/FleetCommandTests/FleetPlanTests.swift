import Testing

@testable import fleet

@Suite("Plans of a fleet")
struct FleetPlanTests {
    private func plan(devices: Int, nodes: Int) -> FleetPlan {
        FleetPlan(devices: devices, nodes: nodes, seed: 9, scenario: .lively, restartsNodes: false)
    }

    @Test(
        "devices are split evenly, without a gap",
        arguments: [(1, 1), (10, 3), (100, 64), (64, 64), (1_000_000, 7)])
    func shares(devices: Int, nodes: Int) {
        let shares = plan(devices: devices, nodes: nodes).shares
        #expect(shares.map(\.name) == (1...nodes).map { "node-\($0)" })
        var next = 0
        for share in shares {
            #expect(share.firstIndex == next)
            #expect((devices / nodes...devices / nodes + 1).contains(share.devices))
            next += share.devices
        }
        #expect(next == devices)
    }

    @Test("a larger fleet has more time", arguments: [(100, 30), (20_000, 31), (1_000_000, 80)])
    func patience(devices: Int, seconds: Int) {
        #expect(plan(devices: devices, nodes: 1).patience == .seconds(seconds))
    }
}
