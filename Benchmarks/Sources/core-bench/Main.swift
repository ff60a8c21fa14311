import CoreParts
import Foundation

/// Measures the parts of a toggle, `Bus` against libzmq in C, and fleets against other messaging systems.
@main
struct Main {
    private static let usage = """
        core-bench write FILE EXECUTABLES DRIVERS  measure everything, and write a report to a file
        core-bench peers EXECUTABLES DRIVERS       measure fleets and the installed peers
        core-bench scale FILE EXECUTABLES          measure a million devices, and write a report to a file
        core-bench minute EXECUTABLES              measure a minute of a fleet
        core-bench bus                             measure Bus and libzmq in C
        core-bench hop WHO N COUNT                 send COUNT messages over four hops, N in flight, for a
                                                   profiler: bus, bare, or bare-curve (tcp, encrypted)
        """

    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch (arguments.first, arguments.count) {
        case ("write", 4):
            try await write(Report(executables: arguments[2], drivers: arguments[3]), to: arguments[1])
        case ("peers", 3): try await compare(arguments[1], arguments[2])
        case ("minute", 2):
            let executables = arguments[1]
            let lines = try await BenchDirectory.with { try await MinuteLines.measure(executables, in: $0) }
            print(Table(lines: lines).text)
        case ("scale", 3): try await write(ScaleReport(executables: arguments[2]), to: arguments[1])
        case ("bus", 1):
            print(try await BenchDirectory.with { Table(lines: try BusLines.measure(in: $0)).text })
        case ("hop", 4): try await hop(arguments[1], arguments[2], arguments[3])
        default: fail(usage)
        }
    }

    private static func hop(_ who: String, _ inFlight: String, _ messages: String) async throws {
        guard ["bus", "bare", "bare-curve"].contains(who), let inFlight = Int(inFlight),
            let messages = Int(messages),
            inFlight > 0, messages > 0
        else { fail(usage) }
        let hops = FourHops(inFlight: inFlight, messages: messages)
        let figures = try await BenchDirectory.with { directory in
            switch who {
            case "bus": try hops.bus(in: directory)
            case "bare": try hops.bare(in: directory)
            default: try hops.bare(over: .curve, in: directory)
            }
        }
        print("\(Line.text(figures.perSecond, 0))/s, \(Line.text(figures.medianUs, 1)) µs")
    }

    private static func compare(_ executables: String, _ drivers: String) async throws {
        let rounds = try await BenchDirectory.with {
            try await PeerLines.measure(executables, drivers, in: $0)
        }
        print("\(rounds.table.text)\n\n\(Table(lines: try PeerLines.targets(rounds)).text)")
    }

    private static func write(_ report: ScaleReport, to path: String) async throws {
        let text = try await BenchDirectory.with { try await report.text(in: $0) }
        print(text)
        try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func write(_ report: Report, to path: String) async throws {
        let text = try await BenchDirectory.with { try await report.text(in: $0) }
        print(text)
        try (text + "\n").write(toFile: path, atomically: true, encoding: .utf8)
    }

    private static func fail(_ message: String) -> Never {
        FileHandle.standardError.write(Data("\(message)\n".utf8))
        exit(1)
    }
}
