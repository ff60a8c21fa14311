import Bus
import CBench
import Foundation

/// A temporary directory for the ipc files of a run.
struct BenchDirectory {
    private let path: String

    /// Creates the directory.
    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/core-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// Returns the endpoint with that name.
    func endpoint(_ name: String) -> String { "ipc://\(path)/\(name)" }

    /// Returns the path of the file with that name.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes the directory and its contents.
    func remove() throws {
        try FileManager.default.removeItem(atPath: path)
    }
}

extension SocketOptions {
    /// The socket options of both sides of a comparison.
    static var bench: SocketOptions {
        var options = SocketOptions()
        options.sendHighWaterMark = Int(BENCH_MARK)
        options.receiveHighWaterMark = Int(BENCH_MARK)
        options.sendTimeout = .milliseconds(Int(BENCH_TIMEOUT_MS))
        options.receiveTimeout = .milliseconds(Int(BENCH_TIMEOUT_MS))
        options.heartbeat = nil
        return options
    }
}
