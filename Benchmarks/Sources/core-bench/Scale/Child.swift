import CoreParts
import Foundation

/// A child process, with its memory and processor time.
final class Child {
    /// The time that a process has to exit after SIGTERM.
    private static let timeout: TimeInterval = 10

    private let process = Process()

    /// Starts a program.
    ///
    /// - Parameter output: The destination of its standard output; its standard error is discarded.
    init(_ program: String, _ arguments: [String], output: Pipe? = nil) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Its present memory, bytes.
    var residentBytes: Double {
        get throws {
            let words = try text(of: "statm").split(separator: " ")
            guard words.count > 1, let pages = Double(words[1]) else { throw BenchFailure.setUp }
            return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
        }
    }

    /// The processor time of its threads, seconds.
    var processorSeconds: Double {
        get throws {
            let threads = try FileManager.default.contentsOfDirectory(atPath: path(of: "task"))
            return try threads.reduce(0) { sum, thread in
                let words = try text(of: "task/\(thread)/schedstat").split(separator: " ")
                guard let time = words.first.flatMap({ Double($0) }) else { throw BenchFailure.setUp }
                return sum + time / 1e9
            }
        }
    }

    /// Waits for its exit.
    ///
    /// - Throws: If it failed.
    func wait() throws {
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchFailure.setUp }
    }

    /// Kills it, like a crash.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Terminates it, and kills it after a timeout.
    func end() {
        guard process.isRunning else { return }
        process.terminate()
        let deadline = Date().addingTimeInterval(Self.timeout)
        while process.isRunning, Date() < deadline { usleep(10_000) }
        if process.isRunning { kill() }
    }

    private func path(of file: String) -> String { "/proc/\(process.processIdentifier)/\(file)" }

    private func text(of file: String) throws -> String {
        try String(contentsOfFile: path(of: file), encoding: .utf8)
    }
}
