import Bus
import TestSupport
import Testing

/// In a process of its own, so that its wait keeps no other test from running.
@Suite("Hazard: a frozen peer stays connected")
struct FrozenPeerTests {
    @Test("a peer that answers no ping is let go of within 4 s; without heartbeats it stays")
    func frozen() async {
        await #expect(processExitsWith: .success) {
            let took = try await attempt(until: { $0 < .seconds(4) }) { try Self.timeToLetGo() }
            #expect(took < .seconds(4))
        }
    }

    /// How long a peer that stands still stays, which it does without heartbeats.
    private static func timeToLetGo() throws -> Duration {
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
