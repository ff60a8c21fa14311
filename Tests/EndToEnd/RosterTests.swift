import Foundation
import Testing

extension EndToEnd {
    @Suite("The roster", .timeLimit(.minutes(3)))
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

        @Test("with --on-duty-only the roster decides who can switch, also after the controller was killed")
        func onDutyOnly() async throws {
            try await Lab.withFleet(devices: 5, ["--on-duty-only"]) { lab in
                let (kari, demo) = ("kari@example.com", try lab.text("demo-password"))
                try await lab.addUser(kari, role: "member")
                // An owner can switch.
                try await lab.succeed("toggle", "Bedroom 1")
                try await lab.succeed("roster", "set", "--message", "Mind the step.")

                try await lab.logIn(kari)
                let refused = try await lab.expect(77, "toggle", "Bedroom 1", "--json")
                #expect(refused.output.contains(#""outcome":"offDuty""#))
                try lab.write(
                    "who,from,to\nKari <\(kari)>,2020-01-01 00:00,2099-01-01 00:00\n", to: "plan.csv")
                try await lab.expect(77, "roster", "import", "plan.csv")

                try await lab.logIn(Lab.demo, password: demo)
                try await lab.succeed("roster", "import", "plan.csv", "--time-zone", "Europe/Oslo")
                try await lab.kill("controller")
                try await lab.logIn(kari)
                try await lab.eventually("the controller is back", within: .seconds(20)) {
                    try await lab.fleet("toggle", "Bedroom 1").status == 0
                }
                let lines = try await lab.fleet("roster", "--json").output.split(separator: "\n")
                let line = try #require(lines.first)
                let roster = try JSONDecoder().decode(RosterLine.self, from: Data(line.utf8))
                #expect(roster.onDuty.map(\.email) == [kari])
                #expect(roster.message == "Mind the step." && roster.version == 2 && roster.isEnforced)
            }
        }
    }
}
