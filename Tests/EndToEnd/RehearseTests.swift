import Testing

extension EndToEnd {
    @Suite("device-sim rehearse", .timeLimit(.minutes(2)))
    struct RehearseTests {
        /// Each process has its own hash seed: a dependence on the order of a dictionary shows between them.
        @Test(
            "a rehearsal of one scenario and seed has the same events in every process",
            arguments: ["lively", "office-day", "worst-day", "thundering-herd"])
        func repeatable(scenario: String) async throws {
            try await Lab.withLab { lab in
                func events(seed: Int) async throws -> String {
                    let run = try await lab.run(
                        "device-sim",
                        [
                            "rehearse", "--scenario", scenario, "--devices", "60", "--for", "2h", "--seed",
                            "\(seed)", "--events",
                        ])
                    #expect(run.status == 0)
                    return run.output
                }
                let first = try await events(seed: 1)
                #expect(first.split(separator: "\n").count > 1_000)
                #expect(first.contains(#""kind":"measured""#) && first.contains(#""kind":"device""#))
                #expect(try await events(seed: 1) == first)
                #expect(try await events(seed: 2) != first)
            }
        }
    }
}
