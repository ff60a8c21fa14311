import Foundation
import Subprocess
public import SystemPackage

/// The programs of a release build: their counts do not depend on the slowness of a debug build.
///
/// It is the benchmarks' build, with `core-bench`, `fleet`, `controller` and `device-sim`, and is made on
/// first use.
public actor ReleaseBuild {
    public static let shared = ReleaseBuild()

    private static let package = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }.appending(path: "Benchmarks").path(percentEncoded: false)

    private var isBuilt = false

    /// The directory of the programs.
    ///
    /// - Throws: ``Failure`` with the output of the build.
    public func directory() async throws -> FilePath {
        if !isBuilt { try await build() }
        isBuilt = true
        return FilePath("\(Self.package)/.build/release")
    }

    /// Without a shell's variable for its last command: if it differs from make's, the package manager
    /// rebuilds everything.
    private func build() async throws {
        let arguments = ["build", "-c", "release", "--package-path", Self.package, "--product", "core-bench"]
        let result = try await run(
            .name("swift"), arguments: Arguments(arguments), environment: .inherit.updating(["_": nil]),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard result.terminationStatus.isSuccess else {
            throw Failure(description: result.standardOutput + result.standardError)
        }
    }

    /// The output of a build that failed.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }
}
