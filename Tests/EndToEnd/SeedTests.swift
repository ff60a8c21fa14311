import Testing

extension EndToEnd {
    @Suite("The seed of a run directory", .timeLimit(.minutes(2)))
    struct SeedTests {
        @Test("another seed is refused in a run directory with device memory, and timers are unchanged")
        func otherSeed() async throws {
            try await Lab.withFleet(devices: 4, ["--seed", "7"]) { lab in
                try await lab.succeed("timer", "Bedroom 1", "--in", "2h", "--off")
                try await lab.succeed("down")
                try await lab.expect(
                    64, "up", "--detach", "--no-gateway", "--devices", "4",
                    saying: ["--seed 7", "--run-dir", "remove \(lab.runDirectory)"])
                try await lab.up(devices: 4, ["--seed", "7"])
                #expect(try await lab.fleet("timer", "Bedroom 1", "--json").output.contains("\"timer\":{"))
            }
        }
    }
}
