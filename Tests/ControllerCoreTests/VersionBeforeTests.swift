import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("The version before a change, in an outcome")
struct VersionBeforeTests {
    /// A request whose command the device executes after a hand remote has set it `times` times.
    private func report(_ kind: Command.Kind, afterChanges times: Int) throws -> OutcomeReport {
        let bench = try Bench.withDevices(1)
        let command = Command(requestID: bench.newID(), device: bench.rows[0].device, kind: kind)
        let correlation = bench.ask(.command(command))
        for time in 0..<times { bench.change(0, isOn: time.isMultiple(of: 2)) }
        bench.carryOut(try #require(bench.commands.last))
        guard case .outcome(let report)? = bench.replies(to: correlation).last else {
            throw Missing()
        }
        #expect(bench.updates.contains { $0.body == .outcome(report) })
        return report
    }

    private struct Missing: Error {}

    @Test("an applied set has the version before it, even if a hand remote changed the device in between")
    func applied() throws {
        let report = try report(.set(ACStateChange(isOn: true)), afterChanges: 2)
        #expect(report.outcome.state?.version == Version(4))
        #expect(report.versionBefore == Version(3))
    }

    @Test("an unchanged set has the version that it found")
    func unchanged() throws {
        let report = try report(.set(ACStateChange(isOn: true)), afterChanges: 1)
        #expect(report.outcome.state?.version == Version(2))
        #expect(report.versionBefore == Version(2))
    }
}
