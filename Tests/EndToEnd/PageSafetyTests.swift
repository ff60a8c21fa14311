import Foundation
import Testing

extension EndToEnd {
    @Suite("Security of the page's requests")
    struct PageSafetyTests {
        private static let clients = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Clients")

        /// Runs a script with the gateway's address and the run directory.
        private func run(_ script: String, _ more: String..., in lab: Lab) async throws -> Lab.Ended {
            let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                .trimmingCharacters(in: .newlines)
            return try await lab.run(
                "/usr/bin/python3", [Self.clients.appending(path: script).path(), url, lab.file("")] + more)
        }

        @Test(
            "page requests from other origins are refused, and other pages cannot change anything",
            .timeLimit(.minutes(2)))
        func safety() async throws {
            try await Lab.withLab { lab in
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "20", "--gateway-port", "0")
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let ended = try await run("page_safety.py", in: lab)
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.hasSuffix("no log has the password, a token or a proof\n"))
            }
        }

        @Test(
            "page toggles apply to the version that was shown, and their outcomes can be queried",
            .timeLimit(.minutes(2)))
        func toggles() async throws {
            try await Lab.withFleet(gateway: true, ["--scenario", "quiet"]) { lab in
                let ended = try await run("page_toggles.py", lab.executable("fleet"), in: lab)
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
            }
        }

        @Test(
            "a page that does not read its connection is disconnected, and other pages are not affected",
            .timeLimit(.minutes(4)))
        func neverReads() async throws {
            try await Lab.withLab { lab in
                let scenario = "\(lab.directory)/fast.yaml"
                try "clock: { speed: 60 }\n".write(toFile: scenario, atomically: true, encoding: .utf8)
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "2000", "--gateway-port", "0", "--scenario",
                    scenario)
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let ended = try await run("never_reads.py", in: lab)
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
            }
        }
    }
}
