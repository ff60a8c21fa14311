import Foundation
import Subprocess
import SystemPackage

/// The program that counts, in a release build: a debug build has other counts.
enum CoreCounts {
    /// The counts of a part.
    struct Counts {
        /// The measured values and their bounds, a line each.
        let lines: [String]
        let isWithinBounds: Bool
        /// Its standard error.
        let talk: String
    }

    /// The environment does not name a release build.
    private struct NoReleaseBuild: Error, CustomStringConvertible {
        let description =
            "SENSIBUS_EXECUTABLES must name the executables of a release build: run `make counts`"
    }

    /// Counts the allocations and the instructions of a part.
    static func counts(of part: String) async throws -> Counts { try await count(["parts", part]) }

    /// Counts the heap bytes of a device.
    static func bytes() async throws -> Counts { try await count(["bytes"]) }

    private static func count(_ arguments: [String]) async throws -> Counts {
        guard let executables = ProcessInfo.processInfo.environment["SENSIBUS_EXECUTABLES"] else {
            throw NoReleaseBuild()
        }
        let result = try await run(
            .path(FilePath(executables).appending("core-counts")), arguments: Arguments(arguments),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        return Counts(
            lines: result.standardOutput.split(separator: "\n").map(String.init),
            isWithinBounds: result.terminationStatus.isSuccess, talk: result.standardError)
    }
}
