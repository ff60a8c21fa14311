import Foundation
import Testing

extension EndToEnd {
    @Suite("Operation of a fleet", .timeLimit(.minutes(1)))
    struct CareTests {
        @Test("the doctor finds no problem before and after the start, and reports a readable session file")
        func doctor() async throws {
            try await Lab.withLab { lab in
                let before = try await lab.succeed("doctor", "--json")
                #expect(try before.lines(FindingLine.self).contains { $0.subject == "libsodium" })
                try await lab.up(devices: 20)
                let findings = try await lab.succeed("doctor", "--json").lines(FindingLine.self)
                #expect(findings.contains { $0.text == "answers: 20 of 20 devices online" })
                #expect(findings.allSatisfy { $0.level == "ok" || ["disk", "memory"].contains($0.subject) })
                let keys = lab.file("network")
                #expect(!FileManager.default.fileExists(atPath: keys), "the fleet never had keys")
                try FileManager.default.setAttributes(
                    [.posixPermissions: 0o644], ofItemAtPath: lab.file("session.json"))
                #expect(try await lab.expect(1, "doctor").output.contains("chmod 600"))
            }
        }

        @Test("the logs of a fleet can be read while it runs and afterwards")
        func logs() async throws {
            try await Lab.withFleet { lab in
                let all = try await lab.succeed("logs").output
                #expect(all.contains("controller  20") && all.contains("node-1"))
                try await lab.expect(64, "logs", "../session")
                try await lab.succeed("down")
                #expect(try await lab.fleet("logs", "node-1", "--lines", "1").output.contains("leaving"))
            }
        }
    }
}
