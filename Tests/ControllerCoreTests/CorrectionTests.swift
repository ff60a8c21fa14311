import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Corrections")
struct CorrectionTests {
    private static let off = ACStateChange(isOn: false)

    @Test("a correction reaches the device as a correction, also after a retry and a controller restart")
    func reaches() throws {
        let bench = try Bench.withDevices()
        let command = Command(
            requestID: bench.newID(), device: bench.rows[0].device, kind: .correct(Self.off),
            timeout: .seconds(20))
        _ = bench.ask(.command(command))
        bench.passWithPings(.seconds(2))
        #expect(bench.commands.count > 1)
        try bench.restartWithNode()
        #expect(!bench.commands.isEmpty)
        #expect(bench.commands.allSatisfy { $0.isCorrection && $0.change == Self.off })
    }

    @Test("a set and a toggle are not corrections")
    func others() throws {
        let bench = try Bench.withDevices()
        bench.toggle()
        let set = Command(requestID: bench.newID(), device: bench.rows[1].device, kind: .set(Self.off))
        _ = bench.ask(.command(set))
        #expect(bench.commands.map(\.isCorrection) == [false, false])
    }

    @Test("a correction with the request ID of a set is a mismatch")
    func mismatch() throws {
        let bench = try Bench.withDevices()
        let id = bench.newID()
        for kind in [Command.Kind.set(Self.off), .correct(Self.off)] {
            _ = bench.ask(.command(Command(requestID: id, device: bench.rows[0].device, kind: kind)))
        }
        #expect(bench.refusal(of: bench.correlation) == .idMismatch)
    }
}
