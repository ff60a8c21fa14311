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

/// Listens at a port of this machine until closed, and accepts no connection.
final class TCPListener: Sendable {
    private let descriptor: Int32

    /// - Parameter port: The port, at which another program may already listen; 0 for any that is free.
    init(port: UInt16 = 0, backlog: Int32 = 1) {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = INADDR_LOOPBACK.bigEndian
        _ = Self.with(&address) { bind(descriptor, $0, $1) }
        listen(descriptor, backlog)
    }

    var port: UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = Self.with(&address) { pointer, _ in getsockname(descriptor, pointer, &size) }
        return UInt16(bigEndian: address.sin_port)
    }

    func close() { _ = Glibc.close(descriptor) }

    private static func with(
        _ address: inout sockaddr_in, _ call: (UnsafeMutablePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
