/// What does not jitter: allocations and instructions of each part, beside what they may be.
struct Counts {
    /// The lines of the table.
    private(set) var lines: [Line] = []
    /// How instructions were counted, or how they could be.
    let means: String

    /// Whether instructions were counted at all.
    let hasInstructions: Bool

    /// Counts some parts.
    init(of parts: [Part], in directory: BenchDirectory) async throws {
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
                : "not counted: there is no counter, and no callgrind; install \(Callgrind.packages)"
    }

    /// Lines that are above their bound.
    var exceeded: [Line] { lines.filter { $0.isMet == false } }
}
