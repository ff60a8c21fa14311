import Bus
import FleetProtocol
import Foundation
import Runtime
import Subprocess
import SystemPackage

/// A fleet of real processes with a run directory of its own.
struct BenchFleet {
    /// The directory of the executables.
    let executables: String
    let runDirectory: RunDirectory
    let devices: Int

    /// Starts the processes, and returns when every device is online.
    static func start(
        _ executables: String, devices: Int, in directory: BenchDirectory
    ) async throws -> BenchFleet {
        let path = directory.file("run")
        let fleet = BenchFleet(
            executables: executables, runDirectory: RunDirectory(path: path), devices: devices)
        try await fleet.run(["up", "--detach", "--devices", "\(devices)", "--durability", "process"])
        return fleet
    }

    /// Where the controller takes requests.
    var clients: Endpoint {
        get throws { try runDirectory.endpoint(.clients) }
    }

    /// The session that the fleet's start left for its owner's commands.
    var token: Token {
        get throws { try StoredSession.read(from: runDirectory.sessionFile).token }
    }

    /// Ends the processes.
    func stop() async throws {
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
