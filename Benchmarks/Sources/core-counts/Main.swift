import CoreParts
import Foundation

/// Counts what the parts of a toggle cost: figures without jitter, each with its bound.
@main
struct Main {
    private static let usage = """
        core-counts parts [PART]     count, and fail if a count is missing or above its bound
        core-counts bytes            count heap bytes a device, and fail if they are above their bound
        core-counts run PART COUNT   run a part COUNT times, for a profiler: \(Part.all.map(\.name))
        """

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("parts", 1): try await count(Part.all)
        case ("parts", 2): try await count([part(arguments[1])])
        case ("bytes", 1): try countBytes()
        case ("run", 3): try run(arguments[1], arguments[2])
        default: fail(usage)
        }
    }

    private static func count(_ parts: [Part]) async throws {
        let counts = try await BenchDirectory.with { try await Counts(of: parts, in: $0) }
        for line in counts.lines { print("\(line.what): \(line.measured) (\(line.target))") }
        guard counts.hasInstructions else { fail("instructions are \(counts.means)") }
        guard counts.exceeded.isEmpty else { fail("\(counts.exceeded.count) above their bounds") }
    }

    private static func countBytes() throws {
        let lines = try BytesADevice.lines()
        for line in lines { print("\(line.what): \(line.measured) (\(line.target))") }
        guard lines.allSatisfy({ $0.isMet == true }) else { fail("above the bound") }
    }

    private static func run(_ name: String, _ count: String) throws {
        guard let count = Int(count), count > 0 else { fail(usage) }
        try part(name).body(count) { try $0() }
    }

    private static func part(_ name: String) -> Part {
        guard let part = Part.all.first(where: { $0.name == name }) else { fail(usage) }
        return part
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(1)
    }
}
