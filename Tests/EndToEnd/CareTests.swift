import Foundation
import Testing

extension EndToEnd {
    @Suite("Operation of a fleet")
    struct CareTests {
        private struct FindingLine: Decodable {
            let level: String
            let subject: String
            let text: String
        }

        @Test(
            "the doctor finds no problem before and after the start, and reports a readable session file",
            .timeLimit(.minutes(1)))
        func doctor() async throws {
            try await Lab.withLab { lab in
                let before = try await lab.fleet("doctor", "--json")
                #expect(before.status == 0, "\(before.output)")
                #expect(try before.lines(FindingLine.self).contains { $0.subject == "libsodium" })
                let up = try await lab.fleet("up", "--detach", "--no-gateway", "--devices", "20")
                try #require(up.status == 0, "\(up.talk)")
                let running = try await lab.fleet("doctor", "--json")
                #expect(running.status == 0, "\(running.output)")
                let findings = try running.lines(FindingLine.self)
                #expect(findings.contains { $0.text == "answers: 20 of 20 devices online" })
                #expect(findings.allSatisfy { $0.level == "ok" || ["disk", "memory"].contains($0.subject) })
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: lab.file("session.json"))
                let open = try await lab.fleet("doctor")
                #expect(open.status == 1)
                #expect(open.output.contains("chmod 600"))
            }
        }

        @Test("the logs of a fleet can be read while it runs and afterwards", .timeLimit(.minutes(1)))
        func logs() async throws {
            try await Lab.withFleet { lab in
                let all = try await lab.fleet("logs")
                #expect(all.status == 0)
                #expect(all.output.contains("controller  20"))
                #expect(all.output.contains("node-1"))
                #expect(try await lab.fleet("logs", "../session").status == 64)
                #expect(try await lab.fleet("down").status == 0)
                #expect(try await lab.fleet("logs", "node-1", "--lines", "1").output.contains("leaving"))
            }
        }
    }
}
