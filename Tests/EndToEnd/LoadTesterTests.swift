import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// Loads that several testers carry out together.
    @Suite("fleet load --testers", .timeLimit(.minutes(2)))
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

        /// Runs `fleet load agent` in a lab, hands over its process ID, and returns its exit status.
        private func agent(
            _ name: String, in lab: Lab, _ began: @escaping @Sendable (Int32) -> Void = { _ in }
        ) async throws -> Int32 {
            try await lab.run("fleet", ["load", "agent", "--name", name, "--once"]) { began($0) }.status
        }

        /// Runs several testers until each has ended.
        private func agents(_ names: String..., in lab: Lab) async throws -> [Int32] {
            try await withThrowingTaskGroup(of: Int32.self) { group in
                for name in names { group.addTask { try await agent(name, in: lab) } }
                return try await group.reduce(into: []) { $0.append($1) }
            }
        }

        /// Runs a load.
        ///
        /// - Parameter started: Called with the process ID of `fleet load`.
        private func load(
            _ lab: Lab, testers: Int, _ options: [String],
            started: @escaping @Sendable (Int32) async throws -> Void = { _ in }
        ) async throws -> Lab.Ended {
            let load = ["load", "--testers", "\(testers)", "--warmup", "500ms", "--json", "-"]
            return try await lab.run("fleet", load + options, started: started)
        }

        private func awaitToggles(in lab: Lab) async throws {
            let before = try await lab.devices().map(\.version).max() ?? 0
            try await lab.eventually("toggles are applied", within: .seconds(20)) {
                try await lab.devices().contains { $0.version > before + 1 }
            }
        }

        @Test("testers share a load, start together, and their results are one report")
        func together() async throws {
            try await Lab.withFleet(devices: 30) { lab in
                async let testers = agents("rack-1", "rack-2", "rack-3", in: lab)
                let report = ["--html", "load.html", "--slo", "p50<10s"]
                let ended = try await load(lab, testers: 3, ["--rate", "300", "--duration", "2s"] + report)
                #expect(ended.status == 0, "\(ended.talk)")
                #expect(try await testers == [0, 0, 0])
                let result = try ended.line(Result.self)
                #expect(result.testers.map(\.name).sorted() == ["rack-1", "rack-2", "rack-3"])
                #expect(result.isComplete && abs(result.offeredPerSecond - 300) < 75)
                #expect(result.offered == result.testers.reduce(0) { $0 + $1.offered })
                #expect(result.applied == result.outcomes["applied"])
                #expect(result.testers.allSatisfy { $0.offered > 100 && $0.environment != nil })
                // Half of the time of one request on a machine that may be busy.
                #expect(result.testers.allSatisfy { $0.startErrorUs < 250_000 })
                #expect(try lab.read("load.html").contains("rack-3"))
            }
        }

        @Test("a load survives a kill of the controller, and names a tester that was killed")
        func kills() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                let victim = Box<Int32>()
                async let survivor = agent("rack-1", in: lab)
                async let other = agent("rack-2", in: lab) { victim.value = $0 }
                async let ended = load(lab, testers: 2, ["--rate", "100", "--duration", "8s"])
                try await awaitToggles(in: lab)
                try await lab.kill("controller")
                try await lab.eventually("the controller answers again", within: .seconds(20)) {
                    try await lab.fleet("whoami").status == 0
                }
                kill(try #require(victim.value), SIGKILL)
                let load = try await ended
                #expect(try await survivor == 0)
                #expect(try await other == 128 + SIGKILL)
                #expect(load.talk.contains("tester rack-2 was lost"))
                let result = try load.line(Result.self)
                #expect(!result.isComplete && result.applied > 50)
                let lost = try #require(result.testers.first { $0.environment == nil })
                #expect(lost.name == "rack-2" && lost.offered == 0)
            }
        }

        @Test(
            "Ctrl-C at a tester ends its part, which counts; at the coordinator it stops all; a sweep goes on"
        )
        func interrupted() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                let tester = Box<Int32>()
                async let other = agent("rack-1", in: lab)
                async let stopped = agent("rack-2", in: lab) { tester.value = $0 }
                let part = try await load(lab, testers: 2, ["--rate", "100", "--duration", "5s"]) { _ in
                    try await awaitToggles(in: lab)
                    kill(try #require(tester.value), SIGINT)
                }
                let ends = try await [other, stopped]
                #expect(ends == [0, 0], "\(part.talk)")
                let result = try part.line(Result.self)
                #expect(!result.isComplete && result.testers.allSatisfy { $0.environment != nil })

                async let testers = agents("rack-3", "rack-4", in: lab)
                let swept = try await load(lab, testers: 2, ["--sweep", "50,100", "--duration", "1s"])
                #expect(swept.status == 0, "\(swept.talk)")
                #expect(try await testers == [0, 0])
                #expect(try swept.line(Sweep.self).steps.count == 2)

                async let last = agents("rack-5", "rack-6", in: lab)
                let long = try await load(lab, testers: 2, ["--rate", "100", "--duration", "51s"]) {
                    coordinator in
                    try await awaitToggles(in: lab)
                    kill(coordinator, SIGINT)
                }
                #expect(try await last == [0, 0])
                let ended = try long.line(Result.self)
                #expect(!ended.isComplete && ended.testers.count == 2)
                #expect(ended.testers.allSatisfy { $0.environment != nil })
            }
        }
    }
}
