import Bus
import RawPeers
import TestSupport
import Testing

/// Runs in its own process, so that its wait does not block the other tests.
@Suite("Hazard: a frozen peer stays connected")
struct FrozenPeerTests {
    @Test("a peer that answers no ping is disconnected within 4 s, and without heartbeats it stays")
    func frozen() async {
        await #expect(processExitsWith: .success) {
            let took = try await attempt(until: { $0 < .seconds(4) }) { try Self.timeToClose() }
            #expect(took < .seconds(4))
        }
    }

    /// The time for which a frozen peer stays, which it does forever without heartbeats.
    private static func timeToClose() throws -> Duration {
        let (router, endpoint) = try Fixture.bound(.router)
        var options = SocketOptions.defaults(for: .router)
        options.heartbeat = nil
        let (other, otherEndpoint) = try Fixture.bound(.router, options: options)
        let peers = try [endpoint, otherEndpoint].map { try RawConnection(to: $0) }
        for peer in peers {
            try peer.shakeHands(as: "DEALER")
            try peer.write(ZMTP.frame([1]))
        }
        for socket in [router, other] { #expect(try socket.nextFromPeer().frames == [[1]]) }
        let start = ContinuousClock.now
        try peers[0].awaitHangUp()
        let took = ContinuousClock.now - start
        #expect(!peers[1].isHungUp)
        return took
    }
}
