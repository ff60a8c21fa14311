import Testing

/// Heap allocations and instructions of the parts of a toggle, each alone, in a release build.
///
/// They do not vary, so they can be judged where times cannot. The bounds are beside the parts in
/// `Benchmarks/Sources/CoreParts/Part.swift`.
@Suite("Bounds on allocations and instructions", .timeLimit(.minutes(10)))
struct CountTests {
    @Test(
        "a part of a toggle stays within its bounds",
        arguments: [
            // A toggle in the controller's core, and among many devices; a command in the node's core.
            "controller", "controller-many", "node",
            // An entry written into the devices' memory, and read from it.
            "remember", "replay",
            // Decoding a client's request and a device's answer, encoding a command and a reply.
            "request", "result", "command", "reply",
        ])
    func counts(of part: String) async throws { expectWithinBounds(try await CoreCounts.counts(of: part)) }

    @Test("each device in the cores stays within its bound of heap bytes")
    func bytes() async throws { expectWithinBounds(try await CoreCounts.bytes()) }

    private func expectWithinBounds(_ counted: CoreCounts.Counts) {
        for line in counted.lines { print("measured: \(line)") }
        #expect(counted.isWithinBounds, "\(counted.lines.joined(separator: "; ")); \(counted.talk)")
        #expect(counted.lines.count == 2, "\(counted.talk)")
    }
}
