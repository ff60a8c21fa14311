import Foundation

/// A process of the bench's own, and what the system says of it.
final class Child {
    /// How long one that was asked to end has for that.
    private static let patience: TimeInterval = 10

    private let process = Process()

    /// Starts a program.
    ///
    /// - Parameter output: Where its standard output goes; what it says on the standard error goes nowhere.
    init(_ program: String, _ arguments: [String], output: Pipe? = nil) throws {
        process.executableURL = URL(filePath: program)
        process.arguments = arguments
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output ?? FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Memory that it has now, bytes.
    var residentBytes: Double {
        get throws {
            let words = try text(of: "statm").split(separator: " ")
            guard words.count > 1, let pages = Double(words[1]) else { throw BenchFailure.setUp }
            return pages * Double(sysconf(Int32(_SC_PAGESIZE)))
        }
    }

    /// Seconds of processor time that its threads have had.
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

    /// Waits for its end.
    ///
    /// - Throws: When it failed.
    func wait() throws {
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw BenchFailure.setUp }
    }

    /// Ends it at once, as a crash does.
    func kill() {
        Foundation.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Asks it to end, and ends it when it does not.
    func end() {
        guard process.isRunning else { return }
        process.terminate()
        let deadline = Date().addingTimeInterval(Self.patience)
        while process.isRunning, Date() < deadline { usleep(10_000) }
        if process.isRunning { kill() }
    }

    private func path(of file: String) -> String { "/proc/\(process.processIdentifier)/\(file)" }

    private func text(of file: String) throws -> String {
        try String(contentsOfFile: path(of: file), encoding: .utf8)
    }
}
