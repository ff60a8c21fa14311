import Foundation
import Subprocess
public import SystemPackage

/// The programs of a release build: what is counted there does not hang on how slow a debug build is.
///
/// It is the benchmarks' build, with `core-bench`, `fleet`, `controller` and `device-sim`, and made when it
/// is first asked for.
public actor ReleaseBuild {
    public static let shared = ReleaseBuild()

    private static let package = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }.appending(path: "Benchmarks").path(percentEncoded: false)

    private var isBuilt = false

    /// Where the programs lie.
    ///
    /// - Throws: ``Failure`` with what the build said.
    public func directory() async throws -> FilePath {
        if !isBuilt { try await build() }
        isBuilt = true
        return FilePath("\(Self.package)/.build/release")
    }

    /// Without a shell's note of its last command: where that differs from what make leaves, the package
    /// manager builds everything anew.
    private func build() async throws {
        let words = ["build", "-c", "release", "--package-path", Self.package, "--product", "core-bench"]
        let result = try await run(
            .name("swift"), arguments: Arguments(words), environment: .inherit.updating(["_": nil]),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
        guard result.terminationStatus.isSuccess else {
            throw Failure(description: result.standardOutput + result.standardError)
        }
    }

    /// What a build said that failed.
    public struct Failure: Error, CustomStringConvertible {
        public let description: String
    }
}
