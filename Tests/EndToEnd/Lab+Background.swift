import Foundation
import Glibc

extension Lab {
    /// Runs one of the product's programs while a closure runs, then ends it with SIGTERM.
    ///
    /// - Parameters:
    ///   - log: The file for its output, in this lab's directory.
    ///   - work: The closure; it gets the text of that file.
    func whileRunning(
        _ program: String, _ arguments: [String], log: String,
        _ work: @escaping @Sendable (_ log: @Sendable () -> String) async throws -> Void
    ) async throws {
        let file = "\(directory)/\(log)"
        let words = ["exec \"$@\" </dev/null >>\"$0\" 2>&1", file, executable(program)] + arguments
        _ = try await run("/bin/sh", ["-c"] + words) { process in
            defer { kill(process, SIGTERM) }
            // The file is missing until the shell has begun.
            try await work { (try? String(contentsOfFile: file, encoding: .utf8)) ?? "" }
        }
    }
}
