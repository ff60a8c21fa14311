import Bus
import Glibc
import Testing

@Suite("Hazard: a client connects to itself")
struct SelfConnectTests {
    @Test("a port that its own client got cannot be bound: use ports below the system's ephemeral range")
    func ownPort() throws {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        try #require(descriptor >= 0)
        defer { close(descriptor) }
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        let isConnected = withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { name in
                // The system chooses a port, as it does for a client; connecting there reaches the client
                // itself.
                bind(descriptor, name, size) == 0 && getsockname(descriptor, name, &size) == 0
                    && connect(descriptor, name, size) == 0
            }
        }
        try #require(isConnected)
        let server = try Socket(.router, context: Fixture.context)
        let port = UInt16(bigEndian: address.sin_port)
        expectError(.addressInUse) {
            try server.bind(.tcp(host: "127.0.0.1", port: port))
        }
    }
}
