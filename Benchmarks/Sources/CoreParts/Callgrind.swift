import Foundation
import Subprocess

/// Counts instructions by running this program in valgrind's callgrind: slow, with the same result each time.
///
/// A part runs twice, with fewer and with more operations, and the difference belongs to the operations.
enum Callgrind {
    private static let fewer = 2_000
    private static let more = 12_000

    /// The packages to install if ``instructions(of:in:)`` returns nil.
    static let packages = "valgrind binutils"

    /// Returns the instructions of one operation; nil if valgrind or strip is missing or fails.
    static func instructions(of part: Part, in directory: BenchDirectory) async throws -> Double? {
        guard let program = try await stripped(in: directory),
            let few = try await total(of: part, fewer, program, in: directory),
            let many = try await total(of: part, more, program, in: directory)
        else { return nil }
        return (many - few) / Double(more - fewer)
    }

    /// Returns the path of a copy of this program without debug information, which Debian 12's valgrind
    /// cannot read.
    private static func stripped(in directory: BenchDirectory) async throws -> String? {
        let program = directory.file("stripped")
        if FileManager.default.fileExists(atPath: program) { return program }
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        return await output(of: "strip", ["--strip-debug", "-o", program, own]) == nil ? nil : program
    }

    private static func total(
        of part: Part, _ count: Int, _ program: String, in directory: BenchDirectory
    ) async throws -> Double? {
        let profile = "--callgrind-out-file=" + directory.file("callgrind")
        let text = await output(
            of: "valgrind", ["--tool=callgrind", profile, program, "run", part.name, "\(count)"])
        guard let words = text?.split(separator: "Collected : ", maxSplits: 1), words.count == 2 else {
            return nil
        }
        return Double(words[1].prefix { $0.isNumber })
    }

    /// Returns a program's standard error; nil if the program is missing or failed.
    private static func output(of name: String, _ arguments: [String]) async -> String? {
        let result = try? await Subprocess.run(
            .name(name), arguments: Arguments(arguments), output: .discarded, error: .string(limit: 1 << 20))
        guard let result, result.terminationStatus.isSuccess else { return nil }
        return result.standardError
    }
}
