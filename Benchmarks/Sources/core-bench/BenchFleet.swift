import Bus
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

    private func start() async throws {
        try await run([
            "up", "--detach", "--no-gateway", "--devices", "\(devices)", "--durability", durability.rawValue,
        ])
    }

    private func stop() async throws {
        try await run(["down"])
    }

    private func run(_ arguments: [String]) async throws {
        let result = try await Subprocess.run(
            .path(FilePath("\(executables)/fleet")),
            arguments: Arguments(arguments + ["--run-dir", runDirectory.path]),
            output: .discarded, error: .string(limit: 4_096))
        guard result.terminationStatus.isSuccess else {
            throw BenchFailure.fleet(result.standardError)
        }
    }
}
