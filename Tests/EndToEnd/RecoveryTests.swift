import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Recovery after kill -9", .timeLimit(.minutes(1)))
    struct RecoveryTests {
        @Test("a killed node's devices are lost within 2 s for all, and online within 1 s of its restart")
        func node() async throws {
            try await Lab.withFleet(devices: 100) { lab in
                try await TestObserver.with(lab) { observer in
                    var times = 0
                    let took = try await attempt(until: \.isInTime) {
                        times += 1
                        return try await Self.loseNode(lab, observer, times: times)
                    }
                    #expect(took.isInTime, "\(took)")
                }
            }
        }

        /// The times from a node's kill until its devices were lost for an observer and for queries, and from
        /// its restart until they were online.
        private struct NodeLoss {
            let watched: Duration
            let asked: Duration
            let online: Duration

            var isInTime: Bool {
                watched <= .seconds(2).slowed && asked <= .seconds(2.5).slowed && online <= .seconds(1).slowed
            }
        }

        /// Kills the only node, and restarts it.
        ///
        /// - Parameter times: The number of times that was done, including this one.
        private static func loseNode(
            _ lab: Lab, _ observer: TestObserver, times: Int
        ) async throws -> NodeLoss {
            let clock = ContinuousClock()
            let node = try await lab.processID("node-1")
            let killed = clock.now
            kill(node, SIGKILL)
            await observer.sees(times) {
                $0.kind == "presence" && $0.name == "Bedroom 7" && $0.presence == "offline"
                    && $0.reason == "nodeLost"
            }
            let watched = clock.now - killed
            let devices = try await lab.devices()
            let asked = clock.now - killed
            #expect(devices.count == 100)
            #expect(devices.allSatisfy { $0.presence == "offline" && $0.reason == "nodeLost" })
            try await lab.expect(69, "toggle", "Bedroom 7")
            #expect(try await lab.status().processes.first { $0.name == "node-1" }?.state == "dead")
            let restart = clock.now
            try await lab.succeed("restart", "node-1")
            try await lab.awaitOnline(100)
            let online = clock.now - restart
            try await lab.succeed("toggle", "Bedroom 7")
            return NodeLoss(watched: watched, asked: asked, online: online)
        }

        @Test("a killed controller is back within 2 s, with all devices online and all sessions valid")
        func controller() async throws {
            let took = try await attempt(until: { $0 <= .seconds(2).slowed }) {
                try await Self.loseController()
            }
            #expect(took <= .seconds(2).slowed)
        }

        /// The time until a fleet was complete again after its controller was killed.
        private static func loseController() async throws -> Duration {
            try await Lab.withFleet(devices: 100) { lab in
                try await TestObserver.with(lab) { observer in
                    let before = try await lab.status()
                    let took = try await killController(of: lab, devices: 100)
                    let (earlier, later) = (
                        try #require(before.epoch), try #require(try await lab.status().epoch)
                    )
                    #expect(later > earlier)
                    await observer.sees(2) { $0.kind == "resync" }
                    let toggle = try await lab.toggle("Bedroom 7")
                    await observer.sees { $0.requestID == toggle.requestID }
                    return took
                }
            }
        }

        /// Kills the controller, and waits until all devices are online again; returns the time that took.
        @discardableResult
        private static func killController(of lab: Lab, devices: Int = 20) async throws -> Duration {
            let controller = try await lab.processID("controller")
            let killed = ContinuousClock.now
            kill(controller, SIGKILL)
            try await lab.eventually("all devices are online again", within: .seconds(10)) {
                let status = try await lab.fleet("status", "--json")
                return try status.status == 0 && status.line(StatusLine.self).online == devices
            }
            return ContinuousClock.now - killed
        }

        @Test(
            "toggles are applied right after a kill of the controller, each once, and an observer is started again"
        )
        func toggles() async throws {
            try await Lab.withFleet { lab in
                try await lab.kill("controller")
                let toggle = try await lab.succeed("toggle", "Bedroom 1", "--json")
                #expect(try toggle.line(ToggleLine.self).version == 2)
                for round in 1...2 {
                    let toggle = try await lab.toggle("Bedroom 1")
                    #expect(toggle.outcome == "applied" && toggle.version == 2 + round)
                    try await Self.killController(of: lab)
                }
                #expect(try await lab.device("Bedroom 1").version == 4)

                try await TestObserver.with(lab) { observer in
                    if let processID = await observer.processID { kill(processID, SIGKILL) }
                }
                try await TestObserver.with(lab) { observer in
                    let toggle = try await lab.toggle("Bedroom 1")
                    await observer.sees { $0.requestID == toggle.requestID }
                }
            }
        }

        @Test("a toggle in flight when the controller is killed returns its final answer")
        func toggleOnItsWay() async throws {
            try await Lab.withFleet { lab in
                // Slow enough for the toggle to be seen in flight.
                let late = "\(min(8 * Slowdown.factor, 10))s"
                try await lab.succeed("inject", "slow", "Bedroom 1", "--by", late, "--for", "1m")
                let before = try await lab.device("Bedroom 1")
                let status = try await lab.status()
                let controller = try #require(status.processes.first { $0.name == "controller" }?.pid)
                let toggle = try await lab.toggle("Bedroom 1", id: Lab.requestID(), timeout: "30s") { _ in
                    kill(controller, SIGKILL)
                }
                #expect(toggle.status == 0, "\(toggle.talk)")
                let line = try toggle.line(ToggleLine.self)
                #expect(line.outcome == "applied" && line.version == before.version + 1)
                #expect(line.state?.on == !before.on)
                #expect(try await lab.device("Bedroom 1").version == before.version + 1)
                #expect(try #require(try await lab.status().epoch) > (try #require(status.epoch)))
            }
        }

        @Test("after a kill of node and controller the node's devices are offline until it returns")
        func nodeAndController() async throws {
            try await Lab.withFleet { lab in
                let epoch = try #require(try await lab.status().epoch)
                for name in ["node-1", "controller"] { try await lab.kill(name) }
                try await lab.eventually("all are offline", within: .seconds(10)) {
                    let status = try await lab.fleet("status", "--json")
                    guard status.status == 0 else { return false }
                    let line = try status.line(StatusLine.self)
                    return line.epoch ?? 0 > epoch && line.devices == 20 && line.offline == 20
                }
                #expect(try await lab.devices().isEmpty)
                try await lab.succeed("restart", "node-1")
                try await lab.awaitOnline(20)
                #expect(try await lab.status().devices == 20)
                try await lab.succeed("toggle", "Bedroom 1")
            }
        }

        @Test(
            "a repeated request has the same answer after a kill of the controller, unless nothing is durable",
            arguments: ["process", "none"])
        func repeated(durability: String) async throws {
            try await Lab.withFleet(["--durability", durability]) { lab in
                let id = "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07"
                let toggle = ["toggle", "Bedroom 1", "--json", "--request-id", id]
                let before = try await lab.fleet(toggle).output
                try await Self.killController(of: lab)
                let isSame = try await lab.fleet(toggle).output == before
                #expect(isSame == (durability != "none"))
                #expect(try await lab.device("Bedroom 1").version == (isSame ? 2 : 3))
            }
        }
    }
}
