import Testing

/// Heap allocations and instructions of the parts of a toggle, each alone, in a release build.
///
/// They do not vary, so they can be judged where times cannot. The bounds are beside the parts in
/// `Benchmarks/Sources/CoreParts/Part.swift`.
@Suite("Bounds on allocations and instructions", .timeLimit(.minutes(10)))
struct CountTests {
    @Test("a toggle in the controller's core stays within its bounds")
    func controller() async throws { try await expectWithinBounds("controller") }

    @Test("a toggle in the controller's core among many devices stays within its bounds")
    func controllerOfMany() async throws { try await expectWithinBounds("controller-many") }

    @Test("each device in the cores stays within its bound of heap bytes")
    func bytes() async throws {
        let counted = try await CoreCounts.bytes()
        for line in counted.lines { print("measured: \(line)") }
        #expect(counted.isWithinBounds, "\(counted.lines.joined(separator: "; ")); \(counted.talk)")
        #expect(counted.lines.count == 2, "\(counted.talk)")
    }

    @Test("a command in the node's core stays within its bounds")
    func node() async throws { try await expectWithinBounds("node") }

    @Test("an entry written into the devices' memory stays within its bounds")
    func remember() async throws { try await expectWithinBounds("remember") }

    @Test("an entry read from the devices' memory stays within its bounds")
    func replay() async throws { try await expectWithinBounds("replay") }

    @Test("decoding a client's request stays within its bounds")
    func request() async throws { try await expectWithinBounds("request") }

    @Test("encoding a command to a device stays within its bounds")
    func command() async throws { try await expectWithinBounds("command") }

    @Test("decoding a device's answer stays within its bounds")
    func result() async throws { try await expectWithinBounds("result") }

    @Test("encoding a reply to a client stays within its bounds")
    func reply() async throws { try await expectWithinBounds("reply") }

    private func expectWithinBounds(_ part: String) async throws {
        let counted = try await CoreCounts.counts(of: part)
        for line in counted.lines { print("measured: \(line)") }
        let isWithinBounds = counted.isWithinBounds
        #expect(isWithinBounds, "\(counted.lines.joined(separator: "; ")); \(counted.talk)")
        #expect(counted.lines.count == 2, "\(counted.talk)")
    }
}
