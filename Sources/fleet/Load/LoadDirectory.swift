import FoundationEssentials
import Glibc
import ProcessSupport

/// A run directory that exists for one load.
struct LoadDirectory: Sendable {
    /// The environment; its `TMPDIR` names the parent directory.
    let surroundings: Surroundings

    /// Creates the directory, runs work, and removes the directory.
    ///
    /// - Throws: `CommandFailure` if it cannot be created, and errors of the work.
    func use<Value>(_ work: (RunDirectory) async throws -> Value) async throws -> Value {
        let directory = try make()
        defer { remove(directory) }
        return try await work(directory)
    }

    private func make() throws(CommandFailure) -> RunDirectory {
        let place = surroundings.environment["TMPDIR"] ?? "/tmp"
        var template = Array("\(place)/sensibus-load-XXXXXX".utf8CString)
        guard mkdtemp(&template) != nil else {
            throw CommandFailure(
                .refused, "cannot make a directory in \(place) (errno \(errno))",
                advice: "set TMPDIR to another directory")
        }
        let path = String(decoding: template.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return RunDirectory(path: path, relativeTo: surroundings.workingDirectory)
    }

    private func remove(_ directory: RunDirectory) {
        do {
            try FileManager.default.removeItem(atPath: directory.path)
        } catch {
            surroundings.notify("fleet: cannot remove \(directory): \(error)")
        }
    }
}
