import Foundation
import Subprocess
import SystemPackage
import Testing

/// The benchmarks' program, in a release build that is made when it is first asked for anything.
actor CoreBench {
    /// What it counted of a part.
    struct Counts {
        /// What was measured and what it may be, a line each.
        let lines: [String]
        let isWithinBounds: Bool
        /// What it said beside that.
        let talk: String
    }

    static let shared = CoreBench()

    private static let package = (0..<3).reduce(URL(filePath: #filePath)) { path, _ in
        path.deletingLastPathComponent()
    }.appending(path: "Benchmarks").path(percentEncoded: false)

    private var isBuilt = false

    /// Counts the allocations and the instructions of a part.
    func counts(of part: String) async throws -> Counts { try await count(["counts", part]) }

    /// Counts the bytes of the heap that a device takes.
    func bytes() async throws -> Counts { try await count(["bytes"]) }

    private func count(_ arguments: [String]) async throws -> Counts {
        try await build()
        let result = try await run(.path(FilePath("\(Self.package)/.build/release/core-bench")), arguments)
        return Counts(
            lines: result.standardOutput.split(separator: "\n").map(String.init),
            isWithinBounds: result.terminationStatus.isSuccess, talk: result.standardError)
    }

    private func build() async throws {
        guard !isBuilt else { return }
        let words = ["build", "-c", "release", "--package-path", Self.package, "--product", "core-bench"]
        let result = try await run(.name("swift"), words)
        try #require(
            result.terminationStatus.isSuccess, "\(result.standardOutput)\(result.standardError)")
        isBuilt = true
    }

    /// Runs a program to its end, without a shell's note of its last command: where that differs from what
    /// make leaves, the package manager builds everything anew.
    private func run(
        _ program: Executable, _ arguments: [String]
    ) async throws -> ExecutionResult<Void, StringOutput<UTF8>, StringOutput<UTF8>> {
        try await Subprocess.run(
            program, arguments: Arguments(arguments), environment: .inherit.updating(["_": nil]),
            output: .string(limit: 1 << 20), error: .string(limit: 1 << 20))
    }
}
