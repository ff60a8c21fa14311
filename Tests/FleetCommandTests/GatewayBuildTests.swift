import FleetProtocol
import Testing

@testable import fleet

@Suite("A gateway that is built while the fleet runs")
struct GatewayBuildTests {
    /// A fleet of one node whose gateway is being built.
    private func started() -> Drive {
        var drive = Drive(nodes: 1, gateway: true, gatewayBuild: "make gateway")
        let effects = drive.rules.begin()
        #expect(effects == [.start("controller"), .start("node-1"), .build("gateway")])
        for name in ["controller", "node-1"] { drive.start(name) }
        return drive
    }

    @Test("the fleet is ready without it, and it starts after its build")
    func builtLater() {
        var drive = started()
        #expect(drive.step(.becameReady) == [.announce])
        #expect(drive.rules.rows.last?.lastEnd == "is being built")
        #expect(drive.step(.built(.exited(0))) == [.start("gateway")])
        drive.start("gateway")
        #expect(drive.state(of: "gateway") == .running)
    }

    @Test("a failed build leaves the fleet running, and `fleet restart gateway` tries what is there")
    func failedBuild() {
        var drive = started()
        _ = drive.step(.becameReady)
        #expect(
            drive.step(.built(.exited(1))) == [
                .notify("gateway was not built, its build exited with status 1: see `fleet logs gateway`")
            ])
        #expect(drive.state(of: "gateway") == .dead)
        #expect(drive.step(.asked(.restart("gateway"), ticket: 1)) == [.start("gateway")])
    }

    @Test("`fleet restart gateway` is refused during the build")
    func restartDuringBuild() {
        var drive = started()
        #expect(drive.reply(to: .restart("gateway"))?.failure == "gateway starts when it is built")
    }

    @Test("the end of the fleet ends the build, and nothing starts after it")
    func endDuringBuild() {
        var drive = started()
        _ = drive.step(.becameReady)
        #expect(drive.step(.endWanted).contains(.end("gateway")))
        #expect(drive.step(.built(.signaled(15))) == [])
        _ = drive.step(.ended("node-1", .exited(0)))
        _ = drive.step(.ended("controller", .exited(0)))
        #expect(drive.rules.hasEnded)
    }

    @Test("a build that ends before the fleet is ready starts the gateway at once")
    func fastBuild() {
        var drive = started()
        #expect(drive.step(.built(.exited(0))) == [.start("gateway")])
        drive.start("gateway")
        #expect(drive.step(.becameReady) == [.announce])
    }
}
