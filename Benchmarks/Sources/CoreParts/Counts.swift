/// Exact counts, without jitter: allocations and instructions of each part, with their bounds.
package struct Counts {
    /// The lines of the table.
    package private(set) var lines: [Line] = []
    /// How instructions were counted, or which packages are missing.
    package let means: String

    /// Whether instructions were counted.
    package let hasInstructions: Bool

    /// Counts these parts.
    package init(of parts: [Part], in directory: BenchDirectory) async throws {
        let hasCounter = try Measuring.instructions(of: Part.all[0]) != nil
        var hasCallgrind = true
        for part in parts {
            lines.append(
                .bounded(
                    "\(part.title), allocations", try Measuring.allocations(of: part),
                    atMost: part.allocationsAtMost, digits: 3))
            let instructions =
                hasCounter
                ? try Measuring.instructions(of: part)
                : try await Callgrind.instructions(of: part, in: directory)
            hasCallgrind = instructions != nil
            guard let instructions else { continue }
            lines.append(
                .bounded(
                    "\(part.title), instructions", instructions, atMost: part.instructionsAtMost))
        }
        hasInstructions = hasCounter || hasCallgrind
        means =
            hasCounter
            ? "by the processor's counter"
            : hasCallgrind
                ? "by callgrind; the kernel or the machine has no counter"
                : "not counted: counter and callgrind are missing; install \(Callgrind.packages)"
    }

    /// The lines above their bound.
    package var exceeded: [Line] { lines.filter { $0.isMet == false } }
}
