import Bus
import Glibc
import RawPeers
import Testing

/// Each test changes the limits of its process, so it runs in its own process.
@Suite("Hazard: a connection beyond the last descriptor ends the process", .timeLimit(.minutes(1)))
struct DescriptorsTests {
    @Test("with bounds, connections without a descriptor are refused and others are served")
    func bounded() async {
        await #expect(processExitsWith: .success) {
            let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 1_000))
            let honest = try bounded.peer()
            let waiting = try Self.exhaust(bounded.endpoint)
            try bounded.receive { bounded.socket.connectionCounts.refused >= 45 }
            try honest.write(ZMTP.frame([1]))
            #expect(try bounded.receive(1) != nil)
            withExtendedLifetime(waiting) {}
        }
    }

    @Test("without bounds, a connection without a descriptor makes libzmq 4.3.4 end the process")
    func unbounded() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            let directory = try TemporaryDirectory()
            let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
            let router = try Socket(.router, context: Fixture.context)
            try router.bind(endpoint)
            let waiting = try Self.exhaust(endpoint)
            try awaitThat { router.isClosed }
            withExtendedLifetime(waiting) {}
        }
    }

    /// Opens 50 descriptors, lowers the limit until the next one fails, and then connects the 50.
    private static func exhaust(_ endpoint: Endpoint) throws -> [RawConnection] {
        let peers = try (0..<50).map { _ in try RawConnection(for: endpoint) }
        var limit = rlimit()
        getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        limit.rlim_cur = rlim_t(try ProcessUse.descriptorCount())
        setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
        for peer in peers { try peer.connect(to: endpoint) }
        return peers
    }
}
