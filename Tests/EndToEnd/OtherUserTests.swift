import Testing

extension EndToEnd {
    @Suite("Sessions of other users", .timeLimit(.minutes(2)))
    struct OtherUserTests {
        @Test("--as uses the session of a user who logged in before, in every command that sends requests")
        func selected() async throws {
            try await Lab.withFleet { lab in
                let owner = Lab.demo
                try await lab.addUser("ann@example.com", role: "viewer")
                try await lab.logIn("ann@example.com")
                let example = try await lab.fleet("roster", "example", "--as", owner).output
                #expect(example.contains(owner))
                #expect(try await lab.fleet("roster", "example").output.contains("ann@example.com"))
                try lab.write(example, to: "shifts.csv")
                try lab.write(
                    "device: Bedroom 1\ncommands:\n  - {id: one, takes: 1s, do: toggle}\n", to: "queue.yaml")
                for command in [
                    ["inject", "slow", "Bedroom 1", "--for", "1s"], ["roster", "set", "--name", "Winter"],
                    ["roster", "import", "shifts.csv"], ["queue", "queue.yaml"],
                    ["load", "--rate", "20", "--duration", "1s", "--warmup", "0s"],
                ] {
                    let refused = try await lab.fleet(command)
                    #expect(refused.status != 0, "\(command) as a viewer: \(refused.output)")
                    try await lab.succeed(command + ["--as", owner])
                }
                #expect(try await lab.fleet("status").output.contains("session   ann@example.com, viewer"))
                let status = try await lab.fleet("status", "--as", owner)
                #expect(status.output.contains("session   \(owner), owner"), "\(status.output)")
                #expect(try await lab.fleet("roster", "show", "--as", owner).output.contains("Winter"))
                try await lab.expect(
                    77, "status", "--as", "kari@example.com", saying: ["no session of kari@example.com"])
            }
        }
    }
}
