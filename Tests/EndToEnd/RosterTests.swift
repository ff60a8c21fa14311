import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The roster")
    struct RosterTests {
        private struct RosterLine: Decodable {
            struct Shift: Decodable {
                let email: String?
            }

            let version: Int
            let message: String
            let isEnforced: Bool
            let onDuty: [Shift]
        }

        private func roster(_ lab: Lab) async throws -> RosterLine {
            let lines = try await lab.fleet("roster", "--json").output.split(separator: "\n")
            return try JSONDecoder().decode(RosterLine.self, from: Data(try #require(lines.first).utf8))
        }

        private func login(_ email: String, _ password: String, in lab: Lab) async throws {
            let ended = try await lab.fleet(["login", email, "--password-stdin"], input: password)
            try #require(ended.status == 0, "\(ended.talk)")
        }

        @Test(
            "with --on-duty-only the roster decides who can switch, also after the controller was killed",
            .timeLimit(.minutes(3)))
        func onDutyOnly() async throws {
            try await Lab.withLab { lab in
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "5", "--no-gateway", "--on-duty-only")
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let demo = try String(contentsOfFile: lab.file("demo-password"), encoding: .utf8)
                let added = try await lab.fleet(
                    ["user", "add", "kari@example.com", "--role", "member", "--password-stdin"],
                    input: "a long secret\n")
                try #require(added.status == 0, "\(added.talk)")
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 0, "an owner can switch")
                #expect(try await lab.fleet("roster", "set", "--message", "Mind the step.").status == 0)

                try await login("kari@example.com", "a long secret\n", in: lab)
                let refused = try await lab.fleet("toggle", "Bedroom 1", "--json")
                #expect(refused.status == 77)
                #expect(refused.output.contains(#""outcome":"offDuty""#))
                let plan = "\(lab.directory)/plan.csv"
                try "who,from,to\nKari <kari@example.com>,2020-01-01 00:00,2099-01-01 00:00\n".write(
                    toFile: plan, atomically: true, encoding: .utf8)
                #expect(try await lab.fleet("roster", "import", plan).status == 77, "a member")

                try await login("demo@sensibus.local", demo, in: lab)
                let imported = try await lab.fleet("roster", "import", plan, "--time-zone", "Europe/Oslo")
                #expect(imported.status == 0, "\(imported.talk)")
                kill(try await lab.processID("controller"), SIGKILL)
                try await login("kari@example.com", "a long secret\n", in: lab)
                try await lab.eventually("the controller is back", within: .seconds(20)) {
                    try await lab.fleet("toggle", "Bedroom 1").status == 0
                }
                let roster = try await roster(lab)
                #expect(roster.onDuty.map(\.email) == ["kari@example.com"])
                #expect(roster.message == "Mind the step." && roster.version == 2 && roster.isEnforced)
            }
        }
    }
}
