import Bus
import RawPeers
import TestSupport
import Testing

/// Runs in its own process, so that its wait does not block the other tests.
@Suite("Hazard: half-open handshakes hold descriptors")
struct HalfOpenHandshakeTests {
    @Test("silent connections and half greetings are closed within 4 s, and with an interval of 30 s stay")
    func silent() async {
        await #expect(processExitsWith: .success) {
            let took = try await attempt(until: { $0 < .seconds(4) }) { try Self.timeToClose() }
            #expect(took < .seconds(4))
        }
    }

    /// The time for which connections with incomplete handshakes stay; one that has 30 s stays longer.
    private static func timeToClose() throws -> Duration {
        let (pull, endpoint) = try Fixture.bound(.pull)
        var options = SocketOptions.defaults(for: .pull)
        options.handshakeInterval = .seconds(30)
        let (other, otherEndpoint) = try Fixture.bound(.pull, options: options)
        let before = try ProcessUse.descriptorCount()
        let connected = try RawConnection(to: otherEndpoint)
        let silent = try (0..<25).map { _ in try RawConnection(to: endpoint) }
        let halfway = try (0..<25).map { _ in try RawConnection(to: endpoint) }
        for peer in halfway { try peer.write(Array(ZMTP.greeting.prefix(20))) }
        let start = ContinuousClock.now
        let push = try Fixture.socket(.push, connectedTo: endpoint)
        #expect(try push.sendWaiting([[1]]) == .sent)
        #expect(try pull.next() == [[1]])
        for peer in silent + halfway { try peer.awaitHangUp() }
        let took = ContinuousClock.now - start
        // Those of the test remain, and those of the two connections that stay.
        #expect(try ProcessUse.descriptorCount() - before < 75)
        #expect(!connected.isHungUp)
        #expect(!other.isClosed)
        return took
    }
}
