import Foundation

/// Measures the parts of a toggle, `Bus` against libzmq in C, and fleets against other messaging systems.
@main
struct Main {
    private static let usage = """
        core-bench write FILE EXECUTABLES DRIVERS  measure everything, and write a report to a file
        core-bench peers EXECUTABLES DRIVERS       measure fleets and the installed peers
        core-bench scale FILE EXECUTABLES          measure a million devices, and write a report to a file
        core-bench minute EXECUTABLES              measure a minute of a fleet
        core-bench counts [PART]     count, and fail if a count is missing or above its bound
        core-bench bytes             count heap bytes a device, and fail if they are above their bound
        core-bench bus               measure Bus and libzmq in C
        core-bench run PART COUNT    run a part COUNT times, for a profiler: \(Part.all.map(\.name))
        core-bench hop WHO N COUNT   send COUNT messages over four hops, N in flight, for a profiler:
                                     bus, bare, or bare-curve (tcp, encrypted)
        """

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("write", 4):
            try await write(Report(executables: arguments[2], drivers: arguments[3]), to: arguments[1])
        case ("peers", 3): try await compare(arguments[1], arguments[2])
        case ("minute", 2):
            let lines = try await inDirectory { try await MinuteLines.measure(arguments[1], in: $0) }
            print(Table(lines: lines).text)
        case ("scale", 3): try await write(ScaleReport(executables: arguments[2]), to: arguments[1])
        case ("counts", 1): try await count(Part.all)
        case ("counts", 2): try await count([part(arguments[1])])
        case ("bytes", 1): try countBytes()
        case ("bus", 1): print(try await inDirectory { Table(lines: try BusLines.measure(in: $0)).text })
        case ("run", 3): try run(arguments[1], arguments[2])
        case ("hop", 4): try await hop(arguments[1], arguments[2], arguments[3])
        default: fail(usage)
        }
    }

    private static func run(_ name: String, _ count: String) throws {
        guard let count = Int(count), count > 0 else { fail(usage) }
        try part(name).body(count) { try $0() }
    }

    private static func part(_ name: String) -> Part {
        guard let part = Part.all.first(where: { $0.name == name }) else { fail(usage) }
        return part
    }

    private static func hop(_ who: String, _ inFlight: String, _ messages: String) async throws {
        guard ["bus", "bare", "bare-curve"].contains(who), let inFlight = Int(inFlight),
            let messages = Int(messages),
            inFlight > 0, messages > 0
        else { fail(usage) }
        let hops = FourHops(inFlight: inFlight, messages: messages)
        let figures = try await inDirectory { directory in
            switch who {
            case "bus": try hops.bus(in: directory)
            case "bare": try hops.bare(in: directory)
            default: try hops.bare(over: .curve, in: directory)
            }
        }
        print("\(Line.text(figures.perSecond, 0))/s, \(Line.text(figures.medianUs, 1)) µs")
    }

    private static func compare(_ executables: String, _ drivers: String) async throws {
        let rounds = try await inDirectory { try await PeerLines.measure(executables, drivers, in: $0) }
        print("\(rounds.table.text)\n\n\(Table(lines: try PeerLines.targets(rounds)).text)")
    }

    private static func write(_ report: ScaleReport, to path: String) async throws {
        let text = try await inDirectory { try await report.text(in: $0) }
        print(text)
        try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func write(_ report: Report, to path: String) async throws {
        let text = try await inDirectory { try await report.text(in: $0) }
        print(text)
        try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func count(_ parts: [Part]) async throws {
        let counts = try await inDirectory { try await Counts(of: parts, in: $0) }
        for line in counts.lines { print("\(line.what): \(line.measured) (\(line.target))") }
        guard counts.hasInstructions else { fail("instructions are \(counts.means)") }
        guard counts.exceeded.isEmpty else { fail("\(counts.exceeded.count) above their bounds") }
    }

    private static func countBytes() throws {
        let lines = try BytesADevice.lines()
        for line in lines { print("\(line.what): \(line.measured) (\(line.target))") }
        guard lines.allSatisfy({ $0.isMet == true }) else { fail("above the bound") }
    }

    private static func inDirectory<Value>(
        _ work: @Sendable (BenchDirectory) async throws -> Value
    ) async throws -> Value {
        let directory = try BenchDirectory()
        let result: Result<Value, any Error>
        do { result = .success(try await work(directory)) } catch { result = .failure(error) }
        try directory.remove()
        return try result.get()
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(1)
    }
}
