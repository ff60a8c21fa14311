import Foundation
import Testing

extension EndToEnd {
    @Suite("Sessions of other users")
    struct OtherUserTests {
        /// Commands that a viewer may not run, and that an owner may.
        private static let changing = [
            ["inject", "slow", "Bedroom 1", "--for", "1s"], ["roster", "set", "--name", "Winter"],
            ["roster", "import", "shifts.csv"], ["queue", "queue.yaml"],
            ["load", "--rate", "20", "--duration", "1s", "--warmup", "0s"],
        ]

        @Test(
            "--as uses the session of a user who logged in before, in every command that sends requests",
            .timeLimit(.minutes(2)))
        func selected() async throws {
            try await Lab.withFleet { lab in
                let owner = "demo@sensibus.local"
                let added = try await lab.fleet(
                    ["user", "add", "ann@example.com", "--role", "viewer", "--password-stdin"],
                    input: "secret of ann\n")
                try #require(added.status == 0, "\(added.talk)")
                let login = try await lab.fleet(
                    ["login", "ann@example.com", "--password-stdin"], input: "secret of ann\n")
                try #require(login.status == 0, "\(login.talk)")

                let example = try await lab.fleet("roster", "example", "--as", owner)
                #expect(example.output.contains("demo@sensibus.local"))
                #expect(try await lab.fleet("roster", "example").output.contains("ann@example.com"))
                let shifts = lab.file("shifts.csv")
                try Data(example.output.utf8).write(to: URL(filePath: shifts))
                let queue = lab.file("queue.yaml")
                let commands = "device: Bedroom 1\ncommands:\n  - {id: one, takes: 1s, do: toggle}\n"
                try Data(commands.utf8).write(to: URL(filePath: queue))
                for command in Self.changing {
                    let words = command.map { ["shifts.csv": shifts, "queue.yaml": queue][$0] ?? $0 }
                    let refused = try await lab.fleet(words)
                    #expect(refused.status != 0, "\(command) as a viewer: \(refused.output)")
                    let done = try await lab.fleet(words + ["--as", owner])
                    #expect(done.status == 0, "\(command) as an owner: \(done.talk)")
                }
                #expect(try await lab.fleet("status").output.contains("session   ann@example.com, viewer"))
                #expect(
                    try await lab.fleet("status", "--as", owner).output.contains(
                        "session   \(owner), owner"))
                #expect(
                    try await lab.fleet("roster", "show", "--as", owner).output.contains("Winter"))
                let unknown = try await lab.fleet("status", "--as", "kari@example.com")
                #expect(unknown.status == 77)
                #expect(unknown.talk.contains("no session of kari@example.com"))
            }
        }
    }
}
