import FleetProtocol
import Testing

@testable import fleet

@Suite("Supervision")
struct SupervisionTests {
    @Test("all processes but the observer start at once, and the observer starts when the fleet is ready")
    func start() {
        var drive = Drive(observer: true)
        #expect(drive.rules.begin() == [.start("controller"), .start("node-1"), .start("node-2")])
        for name in ["controller", "node-1", "node-2"] { drive.start(name) }
        #expect(drive.step(.becameReady) == [.announce, .start("observer")])
        #expect(drive.rules.phase == .running)
    }

    @Test("a new scenario applies to nodes that start later, and restarts none")
    func scenario() {
        var drive = Drive.ready()
        let effects = drive.step(.asked(.scenario("worst-day", CloudDay(), beganAt: nil), ticket: 4))
        #expect(effects == [.answer(4, SupervisorReply(processes: drive.rules.rows))])
        #expect(drive.rules.plan.scenario == "worst-day")
        _ = drive.step(.endWanted)
        let refused = drive.reply(to: .scenario("quiet", CloudDay(), beganAt: nil))
        #expect(refused?.failure == "the fleet is ending")
        #expect(drive.rules.plan.scenario == "worst-day")
    }

    @Test("a process that has served and is killed by a signal is restarted at once, each time")
    func servedAndKilled() {
        for name in ["controller", "gateway"] {
            var drive = Drive.ready(gateway: true)
            for round in 1...20 {
                drive.pass(.milliseconds(100))
                let effects = drive.step(.ended(name, .signaled(9), hasServed: true))
                #expect(effects.contains(.wake(drive.now)), "\(name), death \(round)")
                #expect(drive.step(.timePassed) == [.start(name)])
                drive.start(name)
            }
        }
    }

    @Test("a process that serves briefly is restarted 100 ms after its start, with its backoff reset")
    func servedBriefly() {
        var drive = Drive.ready()
        let runs = [(true, 40), (false, 100), (false, 200), (true, 40), (false, 100)]
        for (hasServed, delay) in runs {
            drive.pass(.milliseconds(60))
            let effects = drive.step(.ended("controller", .signaled(6), hasServed: hasServed))
            #expect(effects.contains(.wake(drive.now.advanced(by: .milliseconds(delay)))))
            drive.pass(.milliseconds(delay))
            #expect(drive.step(.timePassed) == [.start("controller")])
            drive.start("controller")
        }
    }

    @Test("a process that exits with an error is restarted with a backoff even if it has served")
    func servedAndFailed() {
        var drive = Drive.ready()
        for delay in [100, 200, 400] {
            let effects = drive.step(.ended("controller", .exited(1), hasServed: true))
            #expect(effects.contains(.wake(drive.now.advanced(by: .milliseconds(delay)))))
            drive.pass(.milliseconds(delay))
            #expect(drive.step(.timePassed) == [.start("controller")])
            drive.start("controller")
        }
    }

    @Test("a controller that dies before it serves is restarted after 100 ms, doubling to 2 s")
    func controllerRestarts() {
        var drive = Drive.ready()
        for delay in [100, 200, 400, 800, 1_600, 2_000, 2_000] {
            let due = drive.now.advanced(by: .milliseconds(delay))
            let effects = drive.step(.ended("controller", .signaled(9)))
            #expect(effects.contains(.wake(due)))
            #expect(drive.state(of: "controller") == .restarting)
            drive.pass(.milliseconds(delay) - .nanoseconds(1))
            #expect(drive.step(.timePassed) == [])
            drive.pass(.nanoseconds(1))
            #expect(drive.step(.timePassed) == [.start("controller")])
            drive.start("controller")
        }
        #expect(drive.rules.rows[0].restarts == 7)
        #expect(drive.rules.rows[0].lastEnd == "was ended by signal 9 (kill)")
    }

    @Test("a controller that runs for 10 s resets the restart delay to 100 ms")
    func steadyRun() {
        for (uptime, delay) in [(Duration.seconds(10), 100), (.milliseconds(9_999), 200)] {
            var drive = Drive.ready()
            _ = drive.step(.ended("controller", .signaled(9)))
            drive.pass(.milliseconds(100))
            _ = drive.step(.timePassed)
            drive.start("controller")
            drive.pass(uptime)
            let effects = drive.step(.ended("controller", .signaled(9)))
            #expect(effects.contains(.wake(drive.now.advanced(by: .milliseconds(delay)))))
        }
    }

    @Test("a controller that cannot be started is tried again")
    func controllerNeverStarted() {
        var drive = Drive.ready()
        _ = drive.step(.ended("controller", .exited(1)))
        drive.pass(.milliseconds(100))
        #expect(drive.step(.timePassed) == [.start("controller")])
        let effects = drive.step(.ended("controller", .neverStarted("no memory")))
        #expect(effects.contains(.wake(drive.now.advanced(by: .milliseconds(200)))))
    }

    @Test("a node that dies stays down until it is restarted on request")
    func nodeStaysDead() {
        var drive = Drive.ready()
        let effects = drive.step(.ended("node-1", .signaled(9)))
        guard case .notify(let text)? = effects.first else { return #expect(Bool(false), "\(effects)") }
        #expect(effects.count == 1 && text.contains("`fleet restart node-1`"))
        drive.pass(.seconds(3_600))
        #expect(drive.step(.timePassed) == [])
        #expect(drive.state(of: "node-1") == .dead)
        #expect(drive.step(.asked(.restart("node-1"), ticket: 5)) == [.start("node-1")])
        #expect(
            drive.step(.started("node-1", processID: 300)) == [
                .answer(5, SupervisorReply(processes: drive.rules.rows))
            ])
        #expect(drive.rules.rows[1].processID == 300)
    }

    @Test("with --restart-nodes a node is restarted like a controller")
    func nodeRestarts() {
        var drive = Drive.ready(restartsNodes: true)
        let effects = drive.step(.ended("node-2", .signaled(11)))
        #expect(effects.contains(.wake(drive.now.advanced(by: .milliseconds(100)))))
        drive.pass(.milliseconds(100))
        #expect(drive.step(.timePassed) == [.start("node-2")])
    }

    @Test(
        "a dead node is restarted if the current scenario has crashes, unless an option decides",
        arguments: [nil, true, false] as [Bool?])
    func scenarioRestarts(option: Bool?) {
        var drive = Drive.ready(restartsNodes: option)
        func isStartedAgain(_ name: String) -> Bool {
            drive.step(.ended(name, .signaled(9))).contains {
                if case .wake = $0 { true } else { false }
            }
        }
        _ = drive.step(.read(hasCrashes: true))
        _ = drive.step(.asked(.scenario("worst-day", CloudDay(), beganAt: nil), ticket: 1))
        #expect(isStartedAgain("node-1") == option ?? true)
        _ = drive.step(.read(hasCrashes: false))
        _ = drive.step(.asked(.scenario("quiet", CloudDay(), beganAt: nil), ticket: 2))
        #expect(isStartedAgain("node-2") == option ?? false)
    }

    @Test("a restart ends the running process, starts it again and is answered when it runs")
    func restartLiving() {
        var drive = Drive.ready()
        #expect(drive.step(.asked(.restart("controller"), ticket: 1)) == [.end("controller")])
        #expect(drive.step(.asked(.restart("controller"), ticket: 2)) == [])
        #expect(drive.step(.ended("controller", .signaled(15))) == [.start("controller")])
        let effects = drive.step(.started("controller", processID: 400))
        let reply = SupervisorReply(processes: drive.rules.rows)
        #expect(effects == [.answer(1, reply), .answer(2, reply)])
        #expect(reply.processes[0].processID == 400)
        #expect(reply.processes[0].restarts == 1)
    }

    @Test("a failed restart is answered with its cause")
    func restartFails() {
        var drive = Drive.ready()
        _ = drive.step(.ended("node-1", .exited(0)))
        _ = drive.step(.asked(.restart("node-1"), ticket: 1))
        let effects = drive.step(.ended("node-1", .neverStarted("no such file")))
        #expect(Drive.reply(effects, 1)?.failure == "node-1 could not be started: no such file")
    }

    @Test("a restart of an unknown process lists the known names")
    func restartUnknown() {
        var drive = Drive.ready()
        let reply = drive.reply(to: .restart("node-3"))
        #expect(reply?.failure == "no process \"node-3\"; processes: controller, node-1, node-2")
        #expect(reply?.processes == drive.rules.rows)
    }

    @Test(
        "a process that dies before the fleet is ready ends the fleet", arguments: ["controller", "node-1"])
    func failsToStart(name: String) {
        var drive = Drive()
        _ = drive.rules.begin()
        for process in ["controller", "node-1", "node-2"] { drive.start(process) }
        let effects = drive.step(.ended(name, .exited(1)))
        #expect(effects.contains(.end(name == "controller" ? "node-1" : "node-2")))
        #expect(
            drive.rules.failure
                == .init(text: "\(name) exited with status 1 before the fleet was ready", process: name))
    }

    @Test("a fleet that is not ready in time is ended")
    func late() {
        var drive = Drive(nodes: 1)
        _ = drive.rules.begin()
        drive.start("controller")
        drive.start("node-1")
        #expect(drive.step(.wasLate("only 3 of 5")).contains(.end("node-1")))
        #expect(drive.rules.failure?.text == "only 3 of 5")
    }

    @Test("the fleet's scenario and uptime are reported with its processes")
    func summary() {
        var drive = Drive.ready()
        drive.pass(.seconds(90))
        _ = drive.step(.asked(.scenario("lively", CloudDay(), beganAt: nil), ticket: 1))
        drive.pass(.seconds(30))
        let summary = FleetSummary(scenario: "lively", uptime: .seconds(120))
        #expect(
            drive.step(.asked(.processes, ticket: 2)) == [
                .answer(2, SupervisorReply(processes: drive.rules.rows, fleet: summary))
            ])
    }

    @Test("processes are listed in the order of their start")
    func list() {
        var drive = Drive.ready(observer: true)
        #expect(
            drive.step(.asked(.processes, ticket: 3)) == [
                .answer(
                    3, SupervisorReply(processes: drive.rules.rows, fleet: FleetSummary(scenario: "quiet")))
            ])
        #expect(drive.rules.rows.map(\.name) == ["controller", "node-1", "node-2", "observer"])
        #expect(drive.rules.rows.map(\.processID) == [100, 101, 102, 103])
        #expect(drive.rules.rows.allSatisfy { $0.state == .running })
    }
}

@Suite("Supervision of a fleet that ends")
struct SupervisionEndTests {
    @Test("a fleet ends in order: observer, nodes, controller")
    func order() {
        var drive = Drive.ready(observer: true)
        #expect(
            drive.step(.endWanted) == [.end("observer"), .wake(drive.now.advanced(by: .milliseconds(300)))])
        #expect(
            drive.step(.ended("observer", .exited(0))) == [
                .end("node-1"), .end("node-2"), .wake(drive.now.advanced(by: .milliseconds(600))),
            ])
        #expect(drive.step(.ended("node-2", .exited(0))) == [])
        #expect(
            drive.step(.ended("node-1", .exited(0))) == [
                .end("controller"), .wake(drive.now.advanced(by: .seconds(2))),
            ])
        #expect(!drive.rules.hasEnded)
        #expect(drive.step(.ended("controller", .exited(0))) == [])
        #expect(drive.rules.hasEnded)
        #expect(drive.rules.failure == nil)
        #expect(drive.rules.rows.allSatisfy { $0.state == .stopped && $0.processID == nil })
    }

    @Test("hung processes get SIGKILL after 2 s, and the fleet ends within 3 s")
    func hanging() {
        var drive = Drive.ready(nodes: 1, observer: true)
        _ = drive.step(.endWanted)
        drive.pass(.milliseconds(300))
        #expect(drive.step(.timePassed).first == .end("node-1"))
        drive.pass(.milliseconds(600))
        #expect(drive.step(.timePassed).first == .end("controller"))
        let lastKill = drive.now.advanced(by: SupervisionPolicy.grace)
        #expect(MonotonicTime.zero.duration(to: lastKill) < .seconds(3))
        for name in ["observer", "controller", "node-1"] {
            #expect(!drive.rules.hasEnded)
            _ = drive.step(.ended(name, .signaled(9)))
        }
        #expect(drive.rules.hasEnded)
    }

    @Test("an observer that exits ends the fleet", arguments: [ProcessEnd.exited(0), .signaled(13)])
    func observerLeaves(end: ProcessEnd) {
        var drive = Drive.ready(observer: true)
        #expect(drive.step(.ended("observer", end)).contains(.end("node-1")))
    }

    @Test("an observer that crashes is restarted")
    func observerCrashes() {
        var drive = Drive.ready(observer: true)
        let effects = drive.step(.ended("observer", .signaled(11)))
        #expect(effects.contains(.wake(drive.now.advanced(by: .milliseconds(100)))))
        drive.pass(.milliseconds(100))
        #expect(drive.step(.timePassed) == [.start("observer")])
    }

    @Test("a process that is still starting is ended too")
    func whileStarting() {
        var drive = Drive(nodes: 1)
        _ = drive.rules.begin()
        let effects = drive.step(.endWanted)
        #expect(effects.contains(.end("node-1")))
        #expect(drive.step(.started("node-1", processID: 7)) == [])
        _ = drive.step(.ended("node-1", .signaled(15)))
        _ = drive.step(.ended("controller", .neverStarted("cancelled")))
        #expect(drive.rules.hasEnded)
    }

    @Test("a process that waits for its restart is not started after the end began")
    func whileWaiting() {
        var drive = Drive.ready(nodes: 1)
        _ = drive.step(.ended("controller", .signaled(9)))
        _ = drive.step(.endWanted)
        drive.pass(.seconds(5))
        #expect(!drive.step(.timePassed).contains(.start("controller")))
        _ = drive.step(.ended("node-1", .exited(0)))
        #expect(drive.rules.hasEnded)
    }

    @Test("restarts that are pending or requested while the fleet ends are answered as failed")
    func askedWhileStopping() {
        var drive = Drive.ready()
        _ = drive.step(.asked(.restart("node-1"), ticket: 1))
        let effects = drive.step(.asked(.endFleet, ticket: 2))
        let answered = effects.compactMap { effect -> UInt64? in
            guard case .answer(let ticket, let reply) = effect else { return nil }
            #expect((reply.failure == nil) == (ticket == 2))
            return ticket
        }
        #expect(answered == [2, 1])
        #expect(drive.reply(to: .restart("node-2"))?.failure == "the fleet is ending")
        #expect(drive.step(.endWanted) == [])
    }

    @Test("a supervised fleet refuses to begin again, and runs on")
    func askedToReset() {
        var drive = Drive.ready()
        #expect(drive.reply(to: .reset)?.failure == "only a test server can begin again while it runs")
        #expect(drive.rules.phase == .running)
    }

    @Test("a fleet without running processes ends at once")
    func nothingAlive() {
        var drive = Drive.ready(nodes: 1)
        _ = drive.step(.ended("node-1", .signaled(9)))
        _ = drive.step(.ended("controller", .signaled(9)))
        #expect(drive.step(.endWanted) == [])
        #expect(drive.rules.hasEnded)
    }
}
