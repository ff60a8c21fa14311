import FleetProtocol
import Testing

@testable import fleet

@Suite("Supervision of a fleet that is scaled")
struct SupervisionSizeTests {
    private func names(_ drive: Drive) -> [String] { drive.rules.rows.map(\.name) }

    @Test("scaling up starts one more node, and the request is answered when it runs")
    func grow() {
        var drive = Drive.ready(observer: true)
        #expect(drive.step(.asked(.scale(devices: 35), ticket: 7)) == [.start("node-3")])
        #expect(names(drive) == ["controller", "node-1", "node-2", "node-3", "observer"])
        #expect(drive.rules.plan.shares.map(\.devices) == [10, 10, 15])
        let effects = drive.step(.started("node-3", processID: 300))
        #expect(Drive.reply(effects, 7)?.failure == nil)
        #expect(Drive.reply(effects, 7)?.size == FleetSize(seed: 1, devices: 35, hosted: 35, nodes: 3))
    }

    @Test("a node that does not start for more devices is reported")
    func cannotGrow() {
        var drive = Drive.ready()
        _ = drive.step(.asked(.scale(devices: 21), ticket: 7))
        let effects = drive.step(.ended("node-3", .neverStarted("no memory")))
        #expect(Drive.reply(effects, 7)?.failure?.contains("node-3") == true)
    }

    @Test("scaling down ends nodes only after their devices are retired, and only whole nodes")
    func shrink() {
        var drive = Drive.ready(nodes: 3)
        let effects = drive.step(.asked(.scale(devices: 14), ticket: 7))
        #expect(effects.count == 1)
        #expect(Drive.reply(effects, 7)?.size == FleetSize(seed: 1, devices: 14, hosted: 30, nodes: 2))
        #expect(names(drive) == ["controller", "node-1", "node-2", "node-3"])
        #expect(drive.rules.plan.shares.map(\.devices) == [10, 4])
        #expect(drive.step(.asked(.trim, ticket: 8)) == [.end("node-3")])
        let ended = drive.step(.ended("node-3", .exited(0)))
        #expect(Drive.reply(ended, 8)?.size == FleetSize(seed: 1, devices: 14, hosted: 14, nodes: 2))
        #expect(names(drive) == ["controller", "node-1", "node-2"])
        #expect(drive.reply(to: .trim, ticket: 9)?.failure == nil)
    }

    @Test("a node whose devices are being retired is not restarted, automatically or on request")
    func surplusStaysDead() {
        var drive = Drive.ready(nodes: 2, restartsNodes: true)
        _ = drive.step(.asked(.scale(devices: 10), ticket: 7))
        let refused = drive.step(.asked(.restart("node-2"), ticket: 8))
        #expect(Drive.reply(refused, 8)?.failure?.contains("devices leave") == true)
        #expect(drive.step(.ended("node-2", .signaled(9))) == [])
        #expect(names(drive) == ["controller", "node-1"])
        drive.pass(.seconds(10))
        #expect(drive.step(.timePassed) == [])
    }

    @Test("a node that is restarting when its devices are retired does not start again")
    func restartedMeanwhile() {
        var drive = Drive.ready(nodes: 2)
        #expect(drive.step(.asked(.restart("node-2"), ticket: 6)) == [.end("node-2")])
        _ = drive.step(.asked(.scale(devices: 10), ticket: 7))
        let effects = drive.step(.ended("node-2", .exited(0)))
        #expect(Drive.reply(effects, 6)?.failure?.contains("its devices leave") == true)
        #expect(effects.count == 1)
    }

    @Test("an interrupted scale-down continues, and scaling up is refused until it ends")
    func interrupted() {
        var drive = Drive.ready(nodes: 2)
        _ = drive.step(.asked(.scale(devices: 12), ticket: 1))
        let refused = drive.reply(to: .scale(devices: 30), ticket: 2)
        #expect(refused?.failure?.contains("`fleet scale 12`") == true)
        let again = drive.reply(to: .scale(devices: 12), ticket: 3)
        #expect(again?.size == FleetSize(seed: 1, devices: 12, hosted: 20, nodes: 2))
        let smaller = drive.reply(to: .scale(devices: 3), ticket: 4)
        #expect(smaller?.size == FleetSize(seed: 1, devices: 3, hosted: 20, nodes: 1))
        #expect(drive.step(.asked(.trim, ticket: 5)) == [.end("node-2")])
    }

    @Test("invalid sizes are refused and change nothing", arguments: [0, 1_000_001] as [UInt32])
    func impossible(devices: UInt32) {
        var drive = Drive.ready()
        #expect(drive.reply(to: .scale(devices: devices), ticket: 1)?.failure != nil)
        #expect(drive.rules.plan.devices == 20)
    }

    @Test("scaling up beyond the machine's limits is refused with the reason, and changes nothing")
    func tooLittle() {
        var drive = Drive.ready()
        func failure(_ machine: MachineLimits, _ devices: UInt32) -> String? {
            #expect(drive.step(.saw(machine)) == [])
            return drive.reply(to: .scale(devices: devices), ticket: 1)?.failure
        }
        #expect(
            failure(MachineLimits(memoryBytes: 512 << 20), 1_000_000)
                == "512 MiB of memory are free, and this growth needs 740 MiB: "
                + "ask for fewer devices, or stop programs that use much memory")
        #expect(
            failure(MachineLimits(openFiles: 286), 21)
                == "a process may have 286 files open, and this growth needs 287: "
                + "raise the limit: ulimit -n 287; or start a fleet with fewer nodes")
        #expect(drive.rules.plan.devices == 20)
        #expect(names(drive) == ["controller", "node-1", "node-2"])
        // Fewer devices need no check.
        #expect(failure(MachineLimits(openFiles: 0, memoryBytes: 0), 10) == nil)
    }

    @Test("a fleet with the maximum number of nodes does not grow")
    func tooManyNodes() {
        var drive = Drive.ready(nodes: FleetPlan.nodeLimit)
        let reply = drive.reply(to: .scale(devices: 10_000), ticket: 1)
        #expect(reply?.failure?.contains("64") == true)
    }

    @Test("scaling is refused before the fleet is ready and while it ends, and a pending scale then fails")
    func wrongTime() {
        var drive = Drive()
        _ = drive.rules.begin()
        #expect(drive.reply(to: .scale(devices: 5), ticket: 1)?.failure == "the fleet is not ready yet")
        drive = Drive.ready(nodes: 2)
        _ = drive.step(.asked(.scale(devices: 5), ticket: 1))
        _ = drive.step(.asked(.trim, ticket: 2))
        let effects = drive.step(.endWanted)
        #expect(Drive.reply(effects, 2)?.failure == "the fleet is ending")
        #expect(drive.reply(to: .scale(devices: 5), ticket: 3)?.failure == "the fleet is ending")
    }
}
