import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("A lane whose first request waits for the device's state")
struct LaneTests {
    private func ahead(_ bench: Bench) -> FleetProtocol.Expectation {
        Expectation(incarnation: bench.reportedState().incarnation, version: Version(9))
    }

    @Test("a lane continues when the request that waits for the device's state is cancelled")
    func cancelled() throws {
        let bench = try Bench.withDevices()
        let first = bench.toggle(expected: ahead(bench))
        let second = bench.toggle()
        #expect(bench.commands.isEmpty)
        let cancel = bench.ask(.cancel(first.id, timeout: nil))
        #expect(bench.cancelReply(of: cancel) == .cancelled)
        #expect(bench.commands.map(\.identity.requestID) == [second.id])
    }

    @Test("a lane continues when the request that waits for the device's state expires")
    func expired() throws {
        let bench = try Bench.withDevices()
        let first = bench.toggle(expected: ahead(bench), timeout: .milliseconds(300))
        let second = bench.toggle()
        bench.pass(.milliseconds(300))
        #expect(bench.outcome(of: first.correlation) == .expired)
        #expect(bench.commands.map(\.identity.requestID) == [second.id])
    }

    @Test("a request that expired while the controller was frozen is not sent")
    func lateTurn() throws {
        let bench = try Bench.withDevices()
        bench.toggle()
        let second = bench.toggle(timeout: .milliseconds(300))
        bench.now = bench.now.advanced(by: .milliseconds(400))
        bench.carryOut(bench.commands[0])
        #expect(bench.outcome(of: second.correlation) == .expired)
        #expect(bench.commands.count == 1)
        #expect(bench.aborts.isEmpty)
    }
}
