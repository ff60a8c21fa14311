import Bus
import CBench
import Foundation

/// A directory of its own for the ipc files of a run.
struct BenchDirectory {
    private let path: String

    /// Makes the directory.
    init() throws {
        path = FileManager.default.temporaryDirectory.path + "/core-bench-\(getpid())"
        try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
    }

    /// The endpoint of that name.
    func endpoint(_ name: String) -> String { "ipc://\(path)/\(name)" }

    /// A file of that name.
    func file(_ name: String) -> String { "\(path)/\(name)" }

    /// Removes the directory and what is in it.
    func remove() throws {
        try FileManager.default.removeItem(atPath: path)
    }
}

extension SocketOptions {
    /// What both sides of a comparison set.
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
