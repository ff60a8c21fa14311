import Foundation
import Glibc
import SystemPackage
import TestSupport
import Testing

extension EndToEnd {
    /// The load tester with real fleets.
    @Suite("fleet load", .timeLimit(.minutes(2)))
    struct LoadTests {
        /// The keys of `fleet load --json` that are read here.
        private struct Result: Decodable {
            struct Latency: Decodable {
                let p50: Double?
                let p99: Double?
                let max: Double?
            }

            struct Cancels: Decodable {
                let inTime: Int
                let tooLate: Int
                let noAnswer: Int
            }

            struct Retries: Decodable {
                let alike: Int
                let different: Int
                let noAnswer: Int
            }

            struct Environment: Decodable {
                let scenario: String?
            }

            let offeredPerSecond: Double
            let throughputPerSecond: Double
            let durationSeconds: Double
            let outcomes: [String: Int]
            let latencyUs: Latency
            let serviceUs: Latency
            let testerLateUs: Latency
            let cancels: Cancels?
            let retries: Retries?
            let environment: Environment
        }

        /// The keys of `fleet load --compare DIRECTORY --json` that are read here.
        private struct Comparison: Decodable {
            struct Run: Decodable {
                let applied: Int
                let durationSeconds: Double
                let processorUsPerToggle: Double?
            }

            let baseline: [Run]
        }

        /// The files and processes that a load with its own fleet has left in the lab.
        private func leftovers(in lab: Lab) async throws -> [String] {
            let names = try FileManager.default.contentsOfDirectory(atPath: lab.directory)
            let processes = try await lab.run("/usr/bin/pgrep", ["-f", "\(lab.directory)/sensibus-load"])
            return names.filter { $0.hasPrefix("sensibus-load") }
                + processes.output.split(separator: "\n").map(String.init)
        }

        @Test("a load with --with-fleet starts a fleet, measures it, and leaves nothing behind")
        func ownFleet() async throws {
            try await Lab.withLab { lab in
                // On a machine that is stalled a node may be lost for a moment, and its devices offline.
                let result = try await attempt(until: { Array($0.outcomes.keys) == ["applied"] }) {
                    try await lab.succeed(
                        "load", "--with-fleet", "50", "--rate", "200", "--warmup", "500ms", "--duration",
                        "2s", "--slo", "p50<10s", "--json", "-", "--html", "load.html"
                    ).line(Result.self)
                }
                let applied = try #require(result.outcomes["applied"])
                #expect(abs(applied - 400) < 100 && result.outcomes.count == 1)
                #expect(abs(result.offeredPerSecond - 200) < 50 && result.durationSeconds == 2)
                #expect(result.throughputPerSecond > 100)
                let (p50, service) = (try #require(result.latencyUs.p50), try #require(result.serviceUs.p50))
                #expect(p50 > 20 && service <= p50)
                #expect(result.testerLateUs.p99 != nil)
                #expect(try lab.read("load.html").contains("Latency by percentile"))
                #expect(try await leftovers(in: lab).isEmpty)
            }
        }

        @Test(
            "a load with --with-fleet and --scenario meets the delays of the scenario, and reports its file")
        func scenario() async throws {
            try await Lab.withLab { lab in
                let load = [
                    "load", "--with-fleet", "20", "--rate", "20", "--warmup", "0s", "--duration", "2s",
                    "--json", "-", "--scenario", "slow.yaml",
                ]
                try lab.write("answer: 300ms\n", to: "slow.yaml")
                let result = try await lab.succeed(load).line(Result.self)
                #expect(try #require(result.latencyUs.p50) >= 300_000)
                #expect(result.environment.scenario?.hasSuffix("/slow.yaml") == true)
                try lab.write("answer: fast\n", to: "slow.yaml")
                let refused = try await lab.expect(64, load, saying: ["slow.yaml"])
                #expect(!refused.talk.contains("starting"))
            }
        }

        @Test(
            "an interrupted load stops its fleet, during the start and during the measurement",
            arguments: [false, true])
        func interrupted(isUnderWay: Bool) async throws {
            try await Lab.withLab { lab in
                let arguments = [
                    "load", "--with-fleet", "20", "--rate", "500", "--warmup", "0s", "--duration", "10m",
                ]
                // A late signal may find it measuring.
                let ended = try await attempt(until: { isUnderWay || !$0.output.contains("interrupted") }) {
                    let ended = try await lab.run("fleet", arguments) { processID in
                        try await lab.eventually("the load has started", within: .seconds(20)) {
                            let names = try FileManager.default.contentsOfDirectory(atPath: lab.directory)
                            guard let own = names.first(where: { $0.hasPrefix("sensibus-load") })
                            else { return false }
                            guard isUnderWay else { return true }
                            return try await lab.at(own).devices().contains { $0.version > 2 }
                        }
                        kill(processID, SIGINT)
                    }
                    #expect(try await leftovers(in: lab).isEmpty)
                    return ended
                }
                #expect(ended.status == (isUnderWay ? 0 : 1), "\(ended.talk)")
                #expect(ended.output.contains("interrupted after") == isUnderWay)
            }
        }

        @Test("a comparison of versions has two new fleets for each 3 s, and leaves nothing behind")
        func versions() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.expect(
                    0, "load", "--with-fleet", "20", "--rate", "200", "--warmup", "500ms", "--duration", "4s",
                    "--compare", lab.executables.string, "--json", "-",
                    saying: (1...2).map { "run 1 of 1, fleets \($0) of 2: starting\n" })
                let before = try ended.line(Comparison.self).baseline
                #expect(before.count == 1)
                for run in [try ended.line(Comparison.Run.self)] + before {
                    #expect(abs(run.applied - 800) < 200 && abs(run.durationSeconds - 4) < 0.1)
                    #expect(try #require(run.processorUsPerToggle) > 0)
                }
                #expect(try await leftovers(in: lab).isEmpty)
            }
        }

        @Test(
            "repeats under load have the same outcomes, and a restart of the controller shows in the latency")
        func mixed() async throws {
            try await Lab.withFleet(devices: 40) { lab in
                let mixed = try await lab.expect(
                    0, "load", "--rate", "300", "--warmup", "0s", "--duration", "2s", "--connections", "2",
                    "--cancel-ratio", "0.3", "--retry-ratio", "0.3", "--json", "-", saying: [" same answer"])
                let first = try mixed.line(Result.self)
                let (cancels, retries) = (try #require(first.cancels), try #require(first.retries))
                #expect(cancels.inTime + cancels.tooLate > 50 && cancels.noAnswer == 0)
                #expect(retries.alike > 50 && retries.different == 0 && retries.noAnswer == 0)
                #expect(Set(first.outcomes.keys).isSubset(of: ["applied", "cancelled"]))

                let controller = try await lab.processID("controller")
                let before = try await lab.devices().map(\.version).max() ?? 0
                let load = ["load", "--rate", "100", "--warmup", "0s", "--duration", "6s", "--json", "-"]
                let ended = try await lab.run("fleet", load) { _ in
                    try await lab.eventually("the load is running", within: .seconds(5)) {
                        try await lab.devices().contains { $0.version > before + 1 }
                    }
                    kill(controller, SIGKILL)
                }
                #expect(ended.status == 0, "\(ended.talk)")
                let result = try ended.line(Result.self)
                let (p50, max) = (try #require(result.latencyUs.p50), try #require(result.latencyUs.max))
                #expect(max > 10 * p50)
                #expect(try #require(result.outcomes["applied"]) > 300)
            }
        }
    }
}
