import Testing

extension EndToEnd {
    /// Each process hashes in its own way, so what depends on the order of a dictionary shows between them.
    @Suite("fleet simulate")
    struct SimulateTests {
        /// 181: requests whose ids are of one millisecond were forgotten in the order of a dictionary, one
        /// of two, so that each second process went another way.
        @Test(
            "goes the very same way from the same seed in every process", .timeLimit(.minutes(2)),
            arguments: Array(UInt64(1)...8) + [181])
        func repeatable(seed: UInt64) async throws {
            try await Lab.withLab { lab in
                var traces: Set<String> = []
                for _ in 0..<4 {
                    let run = try await lab.run("fleet", ["simulate", "--seed", "\(seed)", "--trace"])
                    #expect(run.status == 0)
                    // The sums at the end say how long it took.
                    let trace = run.output.split(separator: "\n").dropLast(2)
                    #expect(trace.count > 100)
                    traces.insert(trace.joined(separator: "\n"))
                }
                #expect(traces.count == 1)
            }
        }
    }
}
