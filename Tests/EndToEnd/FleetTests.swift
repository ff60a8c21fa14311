import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// A fleet from its start to its end.
    @Suite("Starting and stopping a fleet", .timeLimit(.minutes(1)))
    struct FleetTests {
        @Test("a fleet starts with one command, all devices online, and stops with another, without sockets")
        func upAndDown() async throws {
            try await Lab.withFleet(devices: 100) { lab in
                let status = try await lab.status()
                #expect([status.devices, status.online, status.stale, status.offline] == [100, 100, 0, 0])
                #expect(status.processes.map(\.name) == ["controller", "node-1"])
                #expect(Set(try await lab.devices().map(\.name)).count == 100)
                try await lab.expect(1, "up", "--detach", saying: ["already"])
                try await lab.succeed("down")
                #expect(status.processes.compactMap(\.pid).allSatisfy { kill($0, 0) != 0 })
                let left = try FileManager.default.contentsOfDirectory(atPath: lab.runDirectory)
                #expect(!left.contains { $0.hasSuffix(".sock") })
                try await lab.expect(69, "status")
            }
        }

        @Test("`fleet prune` leaves no file of a fleet, and only their owner can read those with secrets")
        func declaredFiles() async throws {
            let listen = ["--listen", "tcp://127.0.0.1:\(try Lab.freePort())"]
            try await Lab.withFleet(gateway: true, listen) { lab in
                for (file, mode) in [
                    ("session.json", 0o600), ("observer-session.json", 0o600), ("demo-password", 0o600),
                    ("", 0o700),
                ] {
                    let attributes = try FileManager.default.attributesOfItem(atPath: lab.file(file))
                    #expect(attributes[.posixPermissions] as? Int == mode, "\(file)")
                }
                try await lab.succeed("toggle", "Bedroom 1")
                let password = try lab.word("demo-password")
                for log in ["controller", "node-1", "supervisor"] {
                    #expect(try !lab.text("logs/\(log).log").contains(password), "\(log)")
                }
                let files = try FileManager.default.subpathsOfDirectory(atPath: lab.runDirectory)
                #expect(files.contains("network/server-key") && files.contains("gateway-url"))
                try await lab.succeed("down")
                let prune = try await lab.succeed("prune", "--yes")
                #expect(!FileManager.default.fileExists(atPath: lab.runDirectory), "\(prune.talk)")
            }
        }

        @Test(
            "a fleet in the foreground prints lines, and ends within 3 s of SIGINT or SIGTERM",
            arguments: [SIGINT, SIGTERM])
        func foreground(signal: Int32) async throws {
            let took = try await attempt(until: { $0 <= .seconds(3).slowed }) {
                try await Self.endForeground(by: signal)
            }
            #expect(took <= .seconds(3).slowed)
        }

        /// The time that a fleet in the foreground took to end after a signal.
        private static func endForeground(by signal: Int32) async throws -> Duration {
            try await Lab.withLab { lab in
                let clock = ContinuousClock()
                let asked = Box<ContinuousClock.Instant>()
                let processes = Box<[Int32]>()
                let output = try LiveOutput()
                let up = try await lab.run("fleet", ["up", "--devices", "10"], output: output.writing) {
                    processID in
                    var lines = output.lines.makeAsyncIterator()
                    while let line = await lines.next(), !line.contains("watching 10 devices") {}
                    processes.value = try await lab.status().processes.compactMap(\.pid)
                    try await lab.succeed("toggle", "Bedroom 1")
                    while let line = await lines.next(), !line.contains("Bedroom 1: toggled") {}
                    asked.value = clock.now
                    kill(processID, signal)
                    while await lines.next() != nil {}
                }
                let took = clock.now - (try #require(asked.value))
                #expect(up.status == 0, "\(up.talk)")
                #expect((processes.value ?? []).count >= 2)
                #expect((processes.value ?? []).allSatisfy { kill($0, 0) != 0 })
                return took
            }
        }

        @Test("when a supervisor is killed, all its processes end")
        func noOrphans() async throws {
            try await Lab.withFleet { lab in
                let processes = try await lab.status().processes.compactMap(\.pid)
                kill(try lab.supervisorID(), SIGKILL)
                try await lab.eventually("all processes have ended", within: .seconds(5)) {
                    _ = try await lab.fleet("status")
                    return processes.allSatisfy { kill($0, 0) != 0 }
                }
            }
        }

        @Test(
            "invalid options are refused with the exit status for usage",
            arguments: [
                ["up", "--devices", "0"], ["up", "--devices", "1000001"], ["up", "--scenario", "nonsense"],
                ["up", "--nodes", "0"], ["up", "--scenario", "missing.yaml"],
                ["toggle"], ["toggle", "x", "--timeout", "-5s"], ["toggle", "x", "--timeout", "31s"],
                ["toggle", "x", "--request-id", "7"],
                ["inject", "flood", "x"], ["nonsense"],
            ])
        func usage(arguments: [String]) async throws {
            let refused = try await Lab.withLab { try await $0.expect(64, arguments) }
            #expect(!refused.talk.isEmpty)
        }
    }
}
