import Bus
import Glibc
import Testing

@Suite("Hazard: a connection that is not answered", .timeLimit(.minutes(1)))
struct UnansweredConnectTests {
    @Test("the next attempt begins soon although the system still waits")
    func retried() throws {
        let (listener, endpoint) = try RawServer.listen(backlog: 0)
        defer { close(listener) }
        // The first fills the queue; the system does not report for two minutes that the others failed.
        let queued = try (0..<4).map { _ in try Self.beginConnecting(to: endpoint) }
        defer { for descriptor in queued { close(descriptor) } }
        let loop = try Loop(name: "monitor", context: Fixture.context)
        var options = SocketOptions.defaults(for: .dealer)
        options.reconnect.timeout = .milliseconds(200)
        let dealer = try Socket(.dealer, context: Fixture.context, options: options)
        var retries = 0
        try dealer.monitor(.attempts).onEvent(on: loop) { event, _ in
            if case .connectRetried = event { retries += 1 }
            if retries >= 2 { loop.stop() }
        }
        try dealer.connect(endpoint)
        loop.schedule(after: .seconds(20)) { loop.stop() }
        loop.run()
        #expect(retries >= 2)
    }

    /// Begins to connect, without waiting.
    private static func beginConnecting(to endpoint: Endpoint) throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue), 0)
        let port = UInt16(endpoint.description.split(separator: ":").last ?? "") ?? 0
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
        address.sin_port = port.bigEndian
        let result = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 || errno == EINPROGRESS else { throw SystemFailure(errno: errno) }
        return descriptor
    }
}
