import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The load tester over HTTP, with real gateways.
    @Suite("fleet load --target http")
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

        @Test(
            "a load over HTTP toggles the devices of a fleet of its own, and leaves nothing behind",
            .timeLimit(.minutes(2)))
        func ownFleet() async throws {
            try await Lab.withLab { lab in
                let result = try await attempt(until: { Array($0.outcomes.keys) == ["applied"] }) {
                    let ended = try await lab.fleet(
                        "load", "--target", "http", "--with-fleet", "20", "--rate", "50", "--warmup", "1s",
                        "--duration", "3s", "--slo", "p50<10s", "--json", "-", "--html", "load.html")
                    #expect(ended.status == 0, "\(ended.talk)")
                    #expect(ended.talk.contains("over HTTP to http://127.0.0.1:"))
                    return try ended.line(Result.self)
                }
                #expect(result.target == "http" && result.isComplete)
                #expect(result.applied == result.offered && abs(result.applied - 150) < 60)
                #expect(try #require(result.latencyUs.p50) > 100)
                #expect(result.hops.wireUs.count == 0)
                #expect(result.hops.testerUs.count == result.applied)
                #expect(result.hops.replyUs.count == result.applied)
                let page = try String(contentsOfFile: "\(lab.directory)/load.html", encoding: .utf8)
                #expect(page.contains("Sensibus over HTTP"))
                let left = try FileManager.default.contentsOfDirectory(atPath: lab.directory)
                #expect(left.sorted() == ["load.html"])
            }
        }

        @Test("a mix over HTTP toggles, sets and reads pods", .timeLimit(.minutes(2)))
        func mix() async throws {
            try await Lab.withLab { lab in
                let ended = try await lab.fleet(
                    "load", "--target", "http", "--with-fleet", "20", "--rate", "50", "--warmup", "1s",
                    "--duration", "3s", "--mix", "toggle=2,set=1,read=1", "--json", "-")
                #expect(ended.status == 0, "\(ended.talk)")
                let kinds = try #require(try ended.line(Result.self).kinds)
                #expect(kinds.map(\.kind) == ["toggle", "set", "read"])
                for (kind, outcome) in zip(kinds, ["applied", "applied", "read"]) {
                    #expect(kind.count > 5 && kind.outcomes == [outcome: kind.count])
                    #expect(try #require(kind.latencyUs.p50) > 100)
                }
            }
        }

        @Test(
            "http-load ends without a complaint when its input ends while it waits for connections",
            .timeLimit(.minutes(1)))
        func closedInput() async throws {
            let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            defer { close(listener) }
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr = in_addr(s_addr: INADDR_LOOPBACK.bigEndian)
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let isListening = withUnsafeMutablePointer(to: &address) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    bind(listener, $0, length) == 0 && listen(listener, 1_024) == 0
                        && getsockname(listener, $0, &length) == 0
                }
            }
            try #require(isListening)
            let url = #"{"isSecure":false,"host":"127.0.0.1","port":\#(UInt16(bigEndian: address.sin_port))}"#
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

        @Test(
            "a load over HTTP of a fleet without a gateway is refused with advice",
            .timeLimit(.minutes(1)))
        func noGateway() async throws {
            try await Lab.withFleet(devices: 2) { lab in
                let ended = try await lab.fleet("load", "--target", "http", "--duration", "1s")
                #expect(ended.status == 69)
                #expect(ended.talk.contains("has no gateway"), "\(ended.talk)")
            }
        }
    }
}
