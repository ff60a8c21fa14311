import Foundation
import Subprocess
import SystemPackage

/// A release build of `core-counts`, made on first use: a debug build has other counts.
enum ReleaseBuild {
    private static let package = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }.appending(path: "Benchmarks").path(percentEncoded: false)

    private static let build = Task { try await make() }

    /// The directory of the program.
    ///
    /// - Throws: ``Failure`` with the output of the build.
    static func directory() async throws -> FilePath {
        try await build.value
        return FilePath("\(package)/.build/release")
    }

    /// Without a shell's variable for its last command: if it differs from make's, the package manager
    /// rebuilds everything.
    private static func make() async throws {
        let arguments = [
            "build", "-c", "release", "--package-path", package, "--product", "core-counts",
        ]
        let result = try await run(
            .name("swift"), arguments: Arguments(arguments), environment: .inherit.updating(["_": nil]),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard result.terminationStatus.isSuccess else {
            throw Failure(description: result.standardOutput + result.standardError)
        }
    }

    /// The output of a build that failed.
    struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}
