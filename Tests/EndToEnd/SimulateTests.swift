import Testing

extension EndToEnd {
    /// Each process hashes in its own way, so whatever depends on the order of a dictionary shows between two
    /// of them.
    @Suite("fleet simulate")
    struct SimulateTests {
        /// 384: requests whose ids are of one millisecond were forgotten in the order of a dictionary.
        @Test(
            "goes the very same way from the same seed in two processes", .timeLimit(.minutes(2)),
            arguments: Array(UInt64(1)...20) + [384])
        func repeatable(seed: UInt64) async throws {
            try await Lab.withLab { lab in
                let arguments = ["simulate", "--seed", "\(seed)", "--trace"]
                let runs = [
                    try await lab.run("fleet", arguments), try await lab.run("fleet", arguments),
                ]
                #expect(runs.map(\.status) == [0, 0])
                // The sums at the end say how long it took.
                let traces = runs.map { $0.output.split(separator: "\n").dropLast(2) }
                #expect(traces[0] == traces[1])
                #expect(traces[0].count > 100)
            }
        }
    }
}
