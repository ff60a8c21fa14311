import Foundation
import Glibc
import Subprocess
import SystemPackage
import TestSupport
import Testing

extension EndToEnd {
    /// Loads that several testers carry out together.
    @Suite("fleet load --testers")
    struct LoadTesterTests {
        /// The keys of `fleet load --json` that are read here.
        private struct Result: Decodable {
            struct Tester: Decodable {
                struct Environment: Decodable {
                    let cores: Int
                }

                let name: String
                let offered: Int
                let applied: Int
                let startErrorUs: Double
                let environment: Environment?
            }

            let offered: Int
            let applied: Int
            let offeredPerSecond: Double
            let outcomes: [String: Int]
            let isComplete: Bool
            let testers: [Tester]
        }

        private struct Sweep: Decodable {
            let steps: [Result]
        }

        /// Runs `fleet load agent` in a lab, hands over its process ID, and awaits its end.
        private func agent(
            _ name: String, in lab: Lab, _ began: @Sendable (Int32) async -> Void = { _ in }
        ) async throws -> TerminationStatus {
            try await Subprocess.run(
                .path(lab.executables.appending("fleet")),
                arguments: Arguments(["load", "agent", "--name", name, "--once"]),
                workingDirectory: FilePath(lab.directory), input: .none, output: .discarded,
                error: .discarded
            ) { execution in
                await began(execution.processIdentifier.value)
            }.terminationStatus
        }

        /// Runs several testers until each has ended.
        private func agents(_ names: String..., in lab: Lab) async throws -> [TerminationStatus] {
            try await withThrowingTaskGroup(of: TerminationStatus.self) { group in
                for name in names { group.addTask { try await agent(name, in: lab) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        private func load(_ lab: Lab, testers: Int, _ options: String...) async throws -> Lab.Ended {
            try await lab.fleet(
                ["load", "--testers", "\(testers)", "--warmup", "500ms", "--json", "-"] + options)
        }

        private func awaitToggles(in lab: Lab) async throws {
            try await lab.eventually("toggles are applied", within: .seconds(20)) {
                try await lab.fleet("devices", "--json").lines(DeviceLine.self).contains { $0.version > 2 }
            }
        }

        @Test(
            "testers share a load, start together, and their results are one report", .timeLimit(.minutes(1)))
        func together() async throws {
            try await Lab.withFleet(devices: 30) { lab in
                async let testers = agents("rack-1", "rack-2", "rack-3", in: lab)
                let ended = try await load(
                    lab, testers: 3, "--rate", "300", "--duration", "2s", "--html", "load.html", "--slo",
                    "p50<10s")
                #expect(ended.status == 0, "\(ended.talk)")
                #expect(try await testers == [.exited(0), .exited(0), .exited(0)])
                let result = try ended.line(Result.self)
                #expect(result.testers.map(\.name).sorted() == ["rack-1", "rack-2", "rack-3"])
                #expect(result.isComplete && abs(result.offeredPerSecond - 300) < 75)
                #expect(result.offered == result.testers.reduce(0) { $0 + $1.offered })
                #expect(result.applied == result.outcomes["applied"])
                #expect(result.testers.allSatisfy { $0.offered > 100 && $0.environment != nil })
                // Half of the time of one request on a machine that may be busy.
                #expect(result.testers.allSatisfy { $0.startErrorUs < 250_000 })
                let page = try String(contentsOfFile: "\(lab.directory)/load.html", encoding: .utf8)
                #expect(page.contains("rack-3"))
            }
        }

        @Test(
            "a load survives a kill of the controller, and names a tester that was killed",
            .timeLimit(.minutes(2)))
        func kills() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                let (killed, killing) = AsyncStream.makeStream(of: Int32.self)
                async let survivor = agent("rack-1", in: lab)
                async let other = agent("rack-2", in: lab) { killing.yield($0) }
                async let ended = load(lab, testers: 2, "--rate", "100", "--duration", "8s")
                var victim: Int32?
                for await id in killed {
                    victim = id
                    break
                }
                try await awaitToggles(in: lab)
                kill(try await lab.processID("controller"), SIGKILL)
                try await lab.eventually("the controller answers again", within: .seconds(20)) {
                    try await lab.fleet("whoami").status == 0
                }
                kill(try #require(victim), SIGKILL)
                let load = try await ended
                #expect(try await survivor == .exited(0))
                #expect(try await other == .signaled(SIGKILL))
                #expect(load.talk.contains("tester rack-2 was lost"))
                let result = try load.line(Result.self)
                #expect(!result.isComplete && result.applied > 50)
                let lost = try #require(result.testers.first { $0.environment == nil })
                #expect(lost.name == "rack-2" && lost.offered == 0)
            }
        }

        @Test(
            "Ctrl-C at a tester ends its part, which counts, and a sweep goes on to its last rate",
            .timeLimit(.minutes(2)))
        func sweep() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                let (stopping, starting) = AsyncStream.makeStream(of: Int32.self)
                async let other = agent("rack-1", in: lab)
                async let stopped = agent("rack-2", in: lab) { starting.yield($0) }
                async let ended = load(lab, testers: 2, "--rate", "100", "--duration", "5s")
                for await id in stopping {
                    try await awaitToggles(in: lab)
                    kill(id, SIGINT)
                    break
                }
                let load = try await ended
                #expect(try await other == .exited(0), "\(load.talk)")
                #expect(try await stopped == .exited(0), "\(load.talk)")
                let result = try load.line(Result.self)
                #expect(!result.isComplete && result.testers.allSatisfy { $0.environment != nil })

                async let testers = agents("rack-3", "rack-4", in: lab)
                let swept = try await self.load(lab, testers: 2, "--sweep", "50,100", "--duration", "1s")
                #expect(swept.status == 0, "\(swept.talk)")
                #expect(try await testers == [.exited(0), .exited(0)])
                #expect(try swept.line(Sweep.self).steps.count == 2)
            }
        }

        @Test("Ctrl-C at the coordinator stops all testers, which still report", .timeLimit(.minutes(1)))
        func interrupted() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                async let testers = agents("rack-1", "rack-2", in: lab)
                let page = "\(lab.directory)/load.html"
                async let interruption: Void = {
                    try await awaitToggles(in: lab)
                    let found = try await lab.run("/usr/bin/pgrep", ["-f", "--", "--html \(page)"])
                    for line in found.output.split(separator: "\n") {
                        if let id = Int32(line) { kill(id, SIGINT) }
                    }
                }()
                let ended = try await load(
                    lab, testers: 2, "--rate", "100", "--duration", "51s", "--html", page)
                try await interruption
                #expect(try await testers == [.exited(0), .exited(0)])
                let result = try ended.line(Result.self)
                #expect(!result.isComplete && result.testers.count == 2)
                #expect(result.testers.allSatisfy { $0.environment != nil })
            }
        }
    }
}
