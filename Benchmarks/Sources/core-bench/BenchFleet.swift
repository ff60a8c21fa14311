import Bus
import CoreParts
import FleetProtocol
import Foundation
import ProcessSupport
import Subprocess
import SystemPackage

/// A fleet of real processes with its own run directory.
struct BenchFleet: Sendable {
    /// The directory of the executables.
    let executables: String
    let runDirectory: RunDirectory
    let durability: Durability
    let devices = 2_000

    /// Starts a fleet of each durability, runs a closure with them, and stops them, also after an error.
    ///
    /// - Parameters:
    ///   - executables: The directory of the executables.
    ///   - work: Receives the fleets, in that order; every device is online.
    static func run<Value>(
        _ executables: String, _ durabilities: [Durability], in directory: BenchDirectory,
        _ work: ([BenchFleet]) async throws -> Value
    ) async throws -> Value {
        let fleets = durabilities.map { durability in
            let path = directory.file("run-\(durability.rawValue)")
            return BenchFleet(
                executables: executables, runDirectory: RunDirectory(path: path), durability: durability)
        }
        let result: Result<Value, any Error>
        do {
            for fleet in fleets { try await fleet.start() }
            result = .success(try await work(fleets))
        } catch {
            result = .failure(error)
        }
        for fleet in fleets { try await fleet.stop() }
        return try result.get()
    }

    /// The endpoint of the controller's socket for clients.
    var clients: Endpoint {
        get throws { try runDirectory.endpoint(.clients) }
    }

    /// The session that `fleet up` stored for the user's commands.
    var token: Token {
        get throws { try StoredSession.read(from: runDirectory.sessionFile).token }
    }

    /// Runs `fleet load` for some seconds over one connection, as the peers have.
    ///
    /// - Parameter inFlight: The number of toggles in flight.
    func load(inFlight: Int) async throws -> FourHops.Figures {
        let text = try await run([
            "load", "--in-flight", "\(inFlight)", "--connections", "1", "--warmup", "500ms",
            "--duration", "2s", "--json", "-",
        ])
        let report = try JSONDecoder().decode(Report.self, from: Data(text.utf8))
        guard report.failed == 0 else { throw BenchFailure.toggle("\(report.failed) failed") }
        return FourHops.Figures(perSecond: report.throughputPerSecond, medianUs: report.latencyUs.p50)
    }

    /// What this program reads of the load tester's report.
    private struct Report: Decodable {
        struct Latency: Decodable {
            let p50: Double
        }

        let throughputPerSecond: Double
        let failed: Int
        let latencyUs: Latency
    }

    private func start() async throws {
        _ = try await run([
            "up", "--detach", "--no-gateway", "--devices", "\(devices)", "--durability", durability.rawValue,
        ])
    }

    private func stop() async throws {
        _ = try await run(["down"])
    }

    /// Runs a command, and returns its standard output.
    private func run(_ arguments: [String]) async throws -> String {
        let result = try await Subprocess.run(
            .path(FilePath("\(executables)/fleet")),
            arguments: Arguments(arguments + ["--run-dir", runDirectory.path]),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 16))
        guard result.terminationStatus.isSuccess else {
            throw BenchFailure.fleet(result.standardError)
        }
        return result.standardOutput
    }
}
