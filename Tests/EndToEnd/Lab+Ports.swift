import Foundation
import Glibc
import Synchronization

extension Lab {
    /// The port at which the search continues: tests that run at the same time find different ones.
    private static let nextPort = Mutex(17_600 + Int(getpid()) % 1_000 * 5)

    /// Returns the first of five free ports, which are below those that the system gives to clients.
    static func freePort() throws -> Int {
        try nextPort.withLock { next in
            let sockets = try String(contentsOfFile: "/proc/net/tcp", encoding: .utf8)
            func isFree(_ port: Int) -> Bool {
                !sockets.contains(String(format: ":%04X 00000000:0000 0A", port))
            }
            for port in stride(from: next, to: 32_000, by: 5) where (port..<port + 5).allSatisfy(isFree) {
                next = port + 5
                return port
            }
            throw CancellationError()
        }
    }
}
