import Bus
import Glibc

/// A tcp server whose bytes the test writes itself.
enum RawServer {
    /// A socket that listens at a port of this machine.
    ///
    /// - Parameter backlog: The connections, less one, that the system accepts before the test does.
    static func listen(backlog: Int32 = 8) throws -> (descriptor: Int32, endpoint: Endpoint) {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isListening = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                bind(descriptor, $0, size) == 0 && Glibc.listen(descriptor, backlog) == 0
                    && getsockname(descriptor, $0, &size) == 0
            }
        }
        guard isListening else { throw SystemFailure(errno: errno) }
        return (descriptor, try .tcp(host: "127.0.0.1", port: UInt16(bigEndian: address.sin_port)))
    }
}
