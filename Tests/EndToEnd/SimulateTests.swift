import Testing

extension EndToEnd {
    /// Each process has its own hash seed, so traces that depend on the order of a dictionary differ.
    @Suite("fleet simulate", .timeLimit(.minutes(2)))
    struct SimulateTests {
        /// 181: of two requests whose IDs are of one millisecond, the one that expired first depended on the
        /// order of a dictionary.
        @Test("a seed gives the same trace in every process", arguments: [UInt64(1), 2, 181])
        func repeatable(seed: UInt64) async throws {
            try await Lab.withLab { lab in
                var traces: Set<String> = []
                for _ in 0..<4 {
                    let run = try await lab.run("fleet", ["simulate", "--seed", "\(seed)", "--trace"])
                    #expect(run.status == 0)
                    // The totals at the end have the duration.
                    let trace = run.output.split(separator: "\n").dropLast(2)
                    #expect(trace.count > 100)
                    traces.insert(trace.joined(separator: "\n"))
                }
                #expect(traces.count == 1)
            }
        }
    }
}
