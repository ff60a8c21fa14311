import FleetProtocol
import FleetTime
import Testing

@testable import ControllerCore

@Suite("A correction")
struct CorrectionTests {
    private static let off = ACStateChange(isOn: false)

    @Test("reaches the device as one, also when it is sent again and by the controller's next life")
    func reaches() throws {
        let bench = try Bench.withDevices()
        let command = Command(
            requestID: bench.newID(), device: bench.rows[0].device, kind: .correct(Self.off),
            patience: .seconds(20))
        _ = bench.ask(.command(command))
        bench.passWithPings(.seconds(2))
        #expect(bench.commands.count > 1)
        try bench.restartWithNode()
        #expect(!bench.commands.isEmpty)
        #expect(bench.commands.allSatisfy { $0.isCorrection && $0.change == Self.off })
    }

    @Test("is not what a set is, nor a toggle")
    func others() throws {
        let bench = try Bench.withDevices()
        bench.toggle()
        let set = Command(requestID: bench.newID(), device: bench.rows[1].device, kind: .set(Self.off))
        _ = bench.ask(.command(set))
        #expect(bench.commands.map(\.isCorrection) == [false, false])
    }

    @Test("under the id of a set is another intention")
    func mismatch() throws {
        let bench = try Bench.withDevices()
        let id = bench.newID()
        for kind in [Command.Kind.set(Self.off), .correct(Self.off)] {
            _ = bench.ask(.command(Command(requestID: id, device: bench.rows[0].device, kind: kind)))
        }
        #expect(bench.refusal(of: bench.correlation) == .idMismatch)
    }
}
