import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The load tester over HTTP, with real gateways.
    @Suite("fleet load --target http", .timeLimit(.minutes(2)))
    struct HTTPLoadTests {
        /// The keys of `fleet load --json` that are read here.
        private struct Result: Decodable {
            struct Latency: Decodable {
                let count: Int
                let p50: Double?
            }

            struct Kind: Decodable {
                let kind: String
                let count: Int
                let outcomes: [String: Int]
                let latencyUs: Latency
            }

            struct Hops: Decodable {
                let testerUs: Latency
                let wireUs: Latency
                let replyUs: Latency
            }

            let target: String
            let applied: Int
            let offered: Int
            let outcomes: [String: Int]
            let isComplete: Bool
            let hops: Hops
            let kinds: [Kind]?
            let latencyUs: Latency
        }

        @Test("a load over HTTP toggles the devices of a fleet of its own, and leaves nothing behind")
        func ownFleet() async throws {
            try await Lab.withLab { lab in
                let result = try await attempt(until: { Array($0.outcomes.keys) == ["applied"] }) {
                    let ended = try await lab.succeed(
                        "load", "--target", "http", "--with-fleet", "20", "--rate", "50", "--warmup", "1s",
                        "--duration", "3s", "--slo", "p50<10s", "--json", "-", "--html", "load.html")
                    #expect(ended.talk.contains("over HTTP to http://127.0.0.1:"))
                    return try ended.line(Result.self)
                }
                #expect(result.target == "http" && result.isComplete)
                #expect(result.applied == result.offered && abs(result.applied - 150) < 60)
                #expect(try #require(result.latencyUs.p50) > 100)
                #expect(result.hops.wireUs.count == 0)
                #expect(result.hops.testerUs.count == result.applied)
                #expect(result.hops.replyUs.count == result.applied)
                let page = try lab.read("load.html")
                #expect(page.contains("Sensibus over HTTP"))
                let left = try FileManager.default.contentsOfDirectory(atPath: lab.directory)
                #expect(left.sorted() == ["load.html"])
            }
        }

        @Test("a mix over HTTP toggles, sets and reads pods")
        func mix() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.succeed(
                    "load", "--target", "http", "--with-fleet", "20", "--rate", "50", "--warmup", "1s",
                    "--duration", "3s", "--mix", "toggle=2,set=1,read=1", "--json", "-")
                let kinds = try #require(try ended.line(Result.self).kinds)
                #expect(kinds.map(\.kind) == ["toggle", "set", "read"])
                for (kind, outcome) in zip(kinds, ["applied", "applied", "read"]) {
                    #expect(kind.count > 5 && kind.outcomes == [outcome: kind.count])
                    #expect(try #require(kind.latencyUs.p50) > 100)
                }
            }
        }

        @Test("http-load ends without a complaint when its input ends while it waits for connections")
        func closedInput() async throws {
            let listener = TCPListener(backlog: 1_024)
            defer { listener.close() }
            let url = #"{"isSecure":false,"host":"127.0.0.1","port":\#(listener.port)}"#
            let token = String(repeating: "0", count: 64)
            let order = """
                {"open":{"_0":{"url":\(url),"token":"\(token)","connections":900,\
                "states":[{"device":"m7SWtqMj","isOn":true}]}}}

                """
            try await Lab.withLab { lab in
                let ended = try await lab.run("http-load", [], input: order)
                #expect(ended.status == 0 && ended.talk == "", "\(ended.talk)")
            }
        }
    }
}
