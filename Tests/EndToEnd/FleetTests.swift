import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// A fleet from its start to its end.
    @Suite("Starting and stopping a fleet")
    struct FleetTests {
        @Test(
            "a fleet starts with one command, all devices online, and stops with another, leaving no sockets",
            .timeLimit(.minutes(1)))
        func upAndDown() async throws {
            try await Lab.withFleet(devices: 100) { lab in
                let status = try await lab.status()
                #expect([status.devices, status.online, status.stale, status.offline] == [100, 100, 0, 0])
                #expect(status.processes.map(\.name) == ["controller", "node-1"])
                #expect(Set(try await lab.devices().map(\.name)).count == 100)
                let again = try await lab.fleet("up", "--detach")
                #expect(again.status == 1)
                #expect(again.talk.contains("already"))
                let processes = status.processes.compactMap(\.pid)
                let down = try await lab.fleet("down")
                #expect(down.status == 0)
                #expect(processes.allSatisfy { kill($0, 0) != 0 })
                let left = try FileManager.default.contentsOfDirectory(atPath: lab.file(""))
                #expect(!left.contains { $0.hasSuffix(".sock") })
                let absent = try await lab.fleet("status")
                #expect(absent.status == 69)
            }
        }

        @Test("every file that a fleet makes is declared: `fleet prune` leaves none", .timeLimit(.minutes(1)))
        func declaredFiles() async throws {
            let listen = ["--listen", "tcp://127.0.0.1:\(try Lab.freePort())"]
            try await Lab.withFleet(gateway: true, listen) { lab in
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0)
                let files = try FileManager.default.subpathsOfDirectory(atPath: lab.file(""))
                #expect(files.contains("network/server-key") && files.contains("gateway-url"))
                #expect(try await lab.fleet("down").status == 0)
                let prune = try await lab.fleet("prune", "--yes")
                #expect(prune.status == 0)
                #expect(!FileManager.default.fileExists(atPath: lab.file("")), "\(prune.talk)")
            }
        }

        @Test(
            "a fleet's secrets are in files that only their owner can read, and in no log",
            .timeLimit(.minutes(1)))
        func secrets() async throws {
            try await Lab.withFleet { lab in
                for file in ["session.json", "observer-session.json", "demo-password"] {
                    let attributes = try FileManager.default.attributesOfItem(atPath: lab.file(file))
                    #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
                }
                let directory = try FileManager.default.attributesOfItem(atPath: lab.file(""))
                #expect(directory[.posixPermissions] as? Int == 0o700)
                let password = try String(contentsOfFile: lab.file("demo-password"), encoding: .utf8)
                    .trimmingCharacters(in: .newlines)
                for log in ["controller", "node-1", "supervisor"] {
                    let text = try String(contentsOfFile: lab.file("logs/\(log).log"), encoding: .utf8)
                    #expect(!text.contains(password), "\(log)")
                }
            }
        }

        @Test(
            "a fleet in the foreground prints lines, and ends within 3 s of SIGINT or SIGTERM",
            .timeLimit(.minutes(1)), arguments: [SIGINT, SIGTERM])
        func foreground(signal: Int32) async throws {
            let took = try await attempt(until: { $0 <= .seconds(3).slowed }) {
                try await Self.endForeground(by: signal)
            }
            #expect(took <= .seconds(3).slowed)
        }

        /// The time that a fleet in the foreground took to end after a signal.
        private static func endForeground(by signal: Int32) async throws -> Duration {
            let took = Box<Duration>()
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
                    let toggle = try await lab.fleet("toggle", "Bedroom 1")
                    #expect(toggle.status == 0, "\(toggle.talk)")
                    while let line = await lines.next(), !line.contains("Bedroom 1: toggled") {}
                    asked.value = clock.now
                    kill(processID, signal)
                    while await lines.next() != nil {}
                }
                took.value = clock.now - (try #require(asked.value))
                #expect(up.status == 0, "\(up.talk)")
                #expect((processes.value ?? []).count >= 2)
                #expect((processes.value ?? []).allSatisfy { kill($0, 0) != 0 })
            }
            return try #require(took.value)
        }

        @Test("when a supervisor is killed, all its processes end", .timeLimit(.minutes(1)))
        func noOrphans() async throws {
            try await Lab.withFleet { lab in
                let processes = try await lab.status().processes.compactMap(\.pid)
                let lock = try String(contentsOfFile: lab.file("supervisor.lock"), encoding: .utf8)
                let supervisor = try #require(Int32(lock.trimmingCharacters(in: .whitespacesAndNewlines)))
                kill(supervisor, SIGKILL)
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
            try await Lab.withLab { lab in
                let ended = try await lab.fleet(arguments)
                #expect(ended.status == 64, "\(arguments): \(ended.talk)")
                #expect(!ended.talk.isEmpty)
            }
        }
    }
}
