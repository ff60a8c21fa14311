import Glibc
import TestSupport
import Testing

extension EndToEnd {
    @Suite("Recovery after kill -9")
    struct RecoveryTests {
        @Test(
            "a killed node's devices are lost within 2 s for all, and online within 1 s of its restart",
            .timeLimit(.minutes(1)))
        func node() async throws {
            try await Lab.withFleet(devices: 100) { lab in
                try await TestObserver.with(lab) { observer in
                    await observer.sees { $0.kind == "resync" }
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
            #expect(try await lab.fleet("toggle", "Bedroom 7").status == 69)
            #expect(try await lab.status().processes.first { $0.name == "node-1" }?.state == "dead")
            let restart = clock.now
            #expect(try await lab.fleet("restart", "node-1").status == 0)
            try await lab.eventually("all are online again", within: .seconds(10)) {
                try await lab.status().online == 100
            }
            let online = clock.now - restart
            #expect(try await lab.fleet("toggle", "Bedroom 7").status == 0)
            return NodeLoss(watched: watched, asked: asked, online: online)
        }

        @Test(
            "a killed controller is back within 2 s, with all devices online and all sessions valid",
            .timeLimit(.minutes(1)))
        func controller() async throws {
            let took = try await attempt(until: { $0 <= .seconds(2).slowed }) {
                try await Self.loseController()
            }
            #expect(took <= .seconds(2).slowed)
        }

        /// The time until a fleet was complete again after its controller was killed.
        private static func loseController() async throws -> Duration {
            let took = Box<Duration>()
            try await Lab.withFleet(devices: 100) { lab in
                try await TestObserver.with(lab) { observer in
                    await observer.sees { $0.kind == "resync" }
                    let before = try await lab.status()
                    let clock = ContinuousClock()
                    let killed = clock.now
                    kill(try #require(before.processes.first { $0.name == "controller" }?.pid), SIGKILL)
                    try await lab.eventually("all devices are online again", within: .seconds(10)) {
                        let status = try await lab.fleet("status", "--json")
                        guard status.status == 0 else { return false }
                        return try status.line(StatusLine.self).online == 100
                    }
                    took.value = clock.now - killed
                    let after = try await lab.status()
                    let (earlier, later) = (try #require(before.epoch), try #require(after.epoch))
                    #expect(later > earlier)
                    await observer.sees(2) { $0.kind == "resync" }
                    let toggle = try await lab.fleet("toggle", "Bedroom 7", "--json").line(ToggleLine.self)
                    await observer.sees { $0.requestID == toggle.requestID }
                }
            }
            return try #require(took.value)
        }

        @Test(
            "a toggle right after the controller was killed is applied",
            .timeLimit(.minutes(1)))
        func toggleAtOnce() async throws {
            try await Lab.withFleet { lab in
                kill(try await lab.processID("controller"), SIGKILL)
                let toggle = try await lab.fleet("toggle", "Bedroom 1", "--json")
                #expect(toggle.status == 0, "\(toggle.talk)")
                #expect(try toggle.line(ToggleLine.self).version == 2)
            }
        }

        @Test(
            "a toggle in flight when the controller is killed returns its final answer",
            .timeLimit(.minutes(1)))
        func toggleOnItsWay() async throws {
            try await Lab.withFleet { lab in
                // Slow enough for the toggle to be seen in flight.
                let late = "\(min(8 * Slowdown.factor, 10))s"
                let inject = try await lab.fleet("inject", "slow", "Bedroom 1", "--by", late, "--for", "1m")
                #expect(inject.status == 0, "\(inject.talk)")
                let before = try await lab.device("Bedroom 1")
                let status = try await lab.status()
                let controller = try #require(status.processes.first { $0.name == "controller" }?.pid)
                let id = "01900000-0000-7000-8000-00000000000c"
                let arguments = ["toggle", "Bedroom 1", "--json", "--timeout", "30s", "--request-id", id]
                let toggle = try await lab.run("fleet", arguments) { _ in
                    try await lab.eventually("the toggle is in flight", within: .seconds(5)) {
                        try await lab.fleet("outcome", id).status == 75
                    }
                    kill(controller, SIGKILL)
                }
                #expect(toggle.status == 0, "\(toggle.talk)")
                let line = try toggle.line(ToggleLine.self)
                #expect(line.outcome == "applied")
                #expect(line.version == before.version + 1)
                #expect(line.state?.on == !before.on)
                #expect(try await lab.device("Bedroom 1").version == before.version + 1)
                #expect(try #require(try await lab.status().epoch) > (try #require(status.epoch)))
            }
        }

        @Test(
            "after a kill of node and controller the node's devices are offline until it returns",
            .timeLimit(.minutes(1)))
        func nodeAndController() async throws {
            try await Lab.withFleet { lab in
                let epoch = try #require(try await lab.status().epoch)
                kill(try await lab.processID("node-1"), SIGKILL)
                kill(try await lab.processID("controller"), SIGKILL)
                try await lab.eventually("all are offline", within: .seconds(10)) {
                    let status = try await lab.fleet("status", "--json")
                    guard status.status == 0 else { return false }
                    let line = try status.line(StatusLine.self)
                    return line.epoch ?? 0 > epoch && line.devices == 20 && line.offline == 20
                }
                #expect(try await lab.devices().isEmpty)
                #expect(try await lab.fleet("restart", "node-1").status == 0)
                try await lab.eventually("all are online again", within: .seconds(10)) {
                    try await lab.status().online == 20
                }
                #expect(try await lab.status().devices == 20)
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0)
            }
        }

        @Test("a new observer after a kill shows the same state", .timeLimit(.minutes(1)))
        func observer() async throws {
            try await Lab.withFleet { lab in
                try await TestObserver.with(lab) { observer in
                    await observer.sees { $0.kind == "resync" }
                    if let processID = await observer.processID { kill(processID, SIGKILL) }
                }
                try await TestObserver.with(lab) { observer in
                    await observer.sees { $0.kind == "resync" }
                    let toggle = try await lab.fleet("toggle", "Bedroom 1", "--json").line(ToggleLine.self)
                    await observer.sees { $0.requestID == toggle.requestID }
                }
            }
        }

        @Test(
            "a repeated request has the same answer after the controller was killed", .timeLimit(.minutes(1)))
        func sameReply() async throws {
            try await Lab.withFleet { lab in
                let (before, after, version) = try await Self.askAcrossKill(lab)
                #expect(before == after)
                #expect(version == 2)
            }
        }

        @Test(
            "with --durability none a repeated request is executed again after the controller was killed",
            .timeLimit(.minutes(1)))
        func nothingStored() async throws {
            try await Lab.withFleet(["--durability", "none"]) { lab in
                let (before, after, version) = try await Self.askAcrossKill(lab)
                #expect(before != after)
                #expect(version == 3)
            }
        }

        /// Toggles, kills the controller, and repeats the request; returns both answers and the version.
        private static func askAcrossKill(_ lab: Lab) async throws -> (String, String, Int) {
            let arguments = [
                "toggle", "Bedroom 1", "--json", "--request-id", "0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07",
            ]
            let before = try await lab.fleet(arguments)
            kill(try await lab.processID("controller"), SIGKILL)
            try await lab.eventually("all devices are online again", within: .seconds(10)) {
                let status = try await lab.fleet("status", "--json")
                guard status.status == 0 else { return false }
                return try status.line(StatusLine.self).online == 20
            }
            let after = try await lab.fleet(arguments)
            return (before.output, after.output, try await lab.device("Bedroom 1").version)
        }

        @Test(
            "after two kills of the controller only requested toggles are applied",
            .timeLimit(.minutes(1)))
        func twice() async throws {
            try await Lab.withFleet { lab in
                for round in 1...2 {
                    let toggle = try await lab.fleet("toggle", "Bedroom 1", "--json").line(ToggleLine.self)
                    #expect(toggle.outcome == "applied")
                    #expect(toggle.version == 1 + round)
                    kill(try await lab.processID("controller"), SIGKILL)
                    try await lab.eventually("all devices are online again", within: .seconds(10)) {
                        let status = try await lab.fleet("status", "--json")
                        guard status.status == 0 else { return false }
                        return try status.line(StatusLine.self).online == 20
                    }
                }
                #expect(try await lab.device("Bedroom 1").version == 3)
            }
        }
    }
}
