import Testing

/// Heap allocations and instructions of the parts of a toggle, each alone, in a release build.
///
/// They do not jitter, so they can be judged where times cannot. The bounds stand beside the parts in
/// `Benchmarks/Sources/core-bench/Part.swift`.
@Suite("No more allocations and instructions than allowed are taken", .serialized, .timeLimit(.minutes(10)))
struct CountTests {
    @Test("by a toggle in the controller's core")
    func controller() async throws { try await expectWithinBounds("controller") }

    @Test("by a toggle in the controller's core, among many devices")
    func controllerOfMany() async throws { try await expectWithinBounds("controller-many") }

    @Test("of the heap, by each device in the cores that hold it")
    func bytes() async throws {
        let counted = try await CoreBench.bytes()
        for line in counted.lines { print("measured: \(line)") }
        #expect(counted.isWithinBounds, "\(counted.lines.joined(separator: "; ")); \(counted.talk)")
        #expect(counted.lines.count == 2, "\(counted.talk)")
    }

    @Test("by a command in the node's core")
    func node() async throws { try await expectWithinBounds("node") }

    @Test("by an entry written into the devices' memory")
    func remember() async throws { try await expectWithinBounds("remember") }

    @Test("by an entry read from the devices' memory")
    func replay() async throws { try await expectWithinBounds("replay") }

    @Test("by a client's request that is read")
    func request() async throws { try await expectWithinBounds("request") }

    @Test("by a command that is written to a device")
    func command() async throws { try await expectWithinBounds("command") }

    @Test("by a device's answer that is read")
    func result() async throws { try await expectWithinBounds("result") }

    @Test("by an answer that is written to the client")
    func reply() async throws { try await expectWithinBounds("reply") }

    private func expectWithinBounds(_ part: String) async throws {
        let counted = try await CoreBench.counts(of: part)
        for line in counted.lines { print("measured: \(line)") }
        let isWithinBounds = counted.isWithinBounds
        #expect(isWithinBounds, "\(counted.lines.joined(separator: "; ")); \(counted.talk)")
        #expect(counted.lines.count == 2, "\(counted.talk)")
    }
}
