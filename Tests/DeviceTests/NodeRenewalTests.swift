import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("New incarnations on request")
struct NodeRenewalTests {
    private var bench = NodeBench()

    private func order(_ row: DeviceRow, version: UInt64) -> ControllerMessage.Body {
        .renew(
            [
                SeenDevice(
                    device: row.device, incarnation: row.reported.incarnation, version: Version(version))
            ])
    }

    @Test("a device older than a seen version begins a new incarnation once, and remembers it")
    mutating func wentBack() {
        let before = bench.node.truth[0]
        let renew = order(before, version: 2)
        let effects = bench.send(renew)
        let after = bench.node.truth[0]
        #expect(after.reported.incarnation != before.reported.incarnation)
        #expect(after.reported.version == Version(1))
        #expect(after.number > before.number)
        #expect(effects.published == [after])
        #expect(effects.remembered.contains { $0.cause == .reset })
        #expect(bench.send(renew) == [])
    }

    @Test("a device that is up to date, of another incarnation, or of a higher epoch keeps its incarnation")
    mutating func asItWas() {
        let row = bench.node.truth[0]
        #expect(bench.send(order(row, version: 1)) == [])
        #expect(bench.send(order(bench.node.truth[1], version: 1)) == [])
        let command = bench.toggle(0)
        bench.send(.command(command), epoch: Epoch(9))
        #expect(bench.send(order(row, version: 7)) == [], "of epoch 1, and the device has epoch 9")
        let foreign = SeenDevice(device: row.device, incarnation: Incarnation(bits: 1), version: Version(7))
        #expect(bench.send(.renew([foreign])) == [])
    }

    @Test("a device with an epoch more than a day ahead of clock and controller begins a new incarnation")
    mutating func implausibleEpoch() {
        let command = bench.toggle(0)
        let far = Epoch(1 << 40)
        bench.send(.command(command), epoch: far)
        let row = bench.node.truth[0]
        let renew = order(row, version: row.reported.version.value)
        #expect(bench.send(renew, epoch: far) == [])
        #expect(bench.send(renew) != [])
        #expect(bench.node.truth[0].epoch == .zero)
        #expect(bench.send(.command(bench.toggle(0, number: 1))).verdicts == [.applied])
    }
}
