import Foundation

/// Measures the parts of a toggle on this machine, each alone, and the bus beside bare libzmq.
@main
struct Main {
    private static let usage = """
        core-bench DIRECTORY         measures everything, a fleet of the executables there too; prints a table
        core-bench write FILE DIRECTORY  the same, and writes it to a file
        core-bench counts            counts only, and fails where a count is above its bound
        core-bench bus               the bus beside bare libzmq only
        core-bench toggles DIRECTORY the fleet only
        core-bench run PART COUNT    does a part that often, for a profiler: \(Part.all.map(\.name))
        core-bench hop WHO N COUNT   COUNT messages over four hops, N in flight, for a profiler: bus or bare
        """

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("write", 3): try await write(to: arguments[1], arguments[2])
        case ("counts", 1): try await count()
        case ("bus", 1): print(try await inDirectory { Table(lines: try BusLines.measure(in: $0)).text })
        case ("toggles", 2): try await toggle(arguments[1])
        case ("run", 3): try run(arguments[1], arguments[2])
        case ("hop", 4): try await hop(arguments[1], arguments[2], arguments[3])
        case (let executables?, 1): print(try await everything(executables))
        default: fail(usage)
        }
    }

    private static func run(_ name: String, _ count: String) throws {
        guard let part = Part.all.first(where: { $0.name == name }), let count = Int(count), count > 0 else {
            fail(usage)
        }
        try part.body(count) { try $0() }
    }

    private static func hop(_ who: String, _ inFlight: String, _ messages: String) async throws {
        guard ["bus", "bare"].contains(who), let inFlight = Int(inFlight), let messages = Int(messages),
            inFlight > 0, messages > 0
        else { fail(usage) }
        let hops = FourHops(inFlight: inFlight, messages: messages)
        let figures = try await inDirectory { directory in
            try who == "bus" ? hops.bus(in: directory) : hops.bare(in: directory)
        }
        print("\(Line.text(figures.perSecond, 0))/s, \(Line.text(figures.medianUs, 1)) µs")
    }

    private static func toggle(_ executables: String) async throws {
        let lines = try await inDirectory { try await ToggleLines.measure(executables, in: $0) }
        print(Table(lines: lines).text)
    }

    private static func write(to path: String, _ executables: String) async throws {
        let text = try await everything(executables)
        print(text)
        try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func count() async throws {
        let counts = try await inDirectory { try await Counts(in: $0) }
        print("\(Table(lines: counts.lines).text)\nInstructions: \(counts.means).")
        guard counts.exceeded.isEmpty else { fail("\(counts.exceeded.count) above their bounds") }
    }

    private static func everything(_ executables: String) async throws -> String {
        let machine = await Machine()
        return try await inDirectory { directory in
            let times = try zip(Part.all, Measuring.nanoseconds(of: Part.all)).map { part, time in
                Line.bounded(
                    "\(part.title), processor time", time, atMost: part.nanosecondsAtMost, unit: "ns")
            }
            let bus = try BusLines.measure(in: directory)
            let counts = try await Counts(in: directory)
            let toggles = try await ToggleLines.measure(executables, in: directory)
            return """
                # Benchmarks

                Written by `make bench`: medians of several runs in turn, on a machine that may have been busy
                with other things. Only ratios and counts compare with another machine's. Times of parts are the
                processor's. The bus carries messages of 64 bytes over ipc; four hops go from a client over a
                broker to a device and back. Toggles go through a fleet of real processes that outlives their
                death. Instructions are counted \(counts.means).

                \(machine.text)

                \(Table(lines: times + counts.lines + bus + toggles).text)
                """
        }
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
