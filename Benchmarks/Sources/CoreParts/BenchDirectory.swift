import Foundation

/// A temporary directory for the ipc files of a run.
package struct BenchDirectory {
    private let path: String

    /// Creates the directory.
    private init() throws {
        path = FileManager.default.temporaryDirectory.path + "/sensibus-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Runs a measurement with a directory that is removed afterwards.
    package static func with<Value>(
        _ work: @Sendable (BenchDirectory) async throws -> Value
    ) async throws -> Value {
        let directory = try BenchDirectory()
        let result: Result<Value, any Error>
        do { result = .success(try await work(directory)) } catch { result = .failure(error) }
        try directory.remove()
        return try result.get()
    }

    /// Returns the endpoint with that name.
    package func endpoint(_ name: String) -> String { "ipc://\(path)/\(name)" }

    /// Returns the path of the file with that name.
    package func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes the directory and its contents.
    private func remove() throws {
        try FileManager.default.removeItem(atPath: path)
    }
}
