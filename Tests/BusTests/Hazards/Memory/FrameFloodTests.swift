import Bus
import RawPeers
import TestSupport
import Testing

/// Runs in its own process, so that its memory can be measured.
@Suite(
    "Hazard: a high-water mark counts messages, not their frames", .timeLimit(.minutes(1)),
    .enabled(if: !Sanitizer.isPresent, "\(Sanitizer.memoryIsItsOwn)"))
struct FrameFloodTests {
    @Test("an endless message takes memory, is never received, and frees it when its peer closes")
    func endless() async {
        await #expect(processExitsWith: .success) {
            let (router, endpoint) = try Fixture.bound(.router)
            let honest = try Fixture.socket(.dealer, connectedTo: endpoint)
            let before = try ProcessUse.residentBytes()
            try Self.flood(router, at: endpoint, honest: honest)
            let afterOne = try ProcessUse.residentBytes()
            // No mark and no maximum size stops it: only the process's own limit would.
            #expect(afterOne - before > Self.floodBytes / 2)
            for _ in 0..<3 { try Self.flood(router, at: endpoint, honest: honest) }
            // Nothing of the first remains, or four of them would.
            #expect(try ProcessUse.residentBytes() - afterOne < Self.floodBytes)
        }
    }

    private static let frameBytes = 16_384
    private static let floodBytes = 64 << 20

    /// Sends frames of one message without an end, and closes; an honest peer is served before that.
    private static func flood(_ router: Socket, at endpoint: Endpoint, honest: Socket) throws {
        let peer = try RawConnection(to: endpoint)
        try peer.shakeHands(as: "DEALER")
        let frame = ZMTP.frame([UInt8](repeating: 7, count: frameBytes), hasMore: true)
        for _ in 0..<floodBytes / frameBytes { try peer.write(frame) }
        #expect(try honest.sendWaiting([[1]]) == .sent)
        #expect(try router.nextFromPeer().frames == [[1]])
        var frames = Frames()
        #expect(try !router.receive(into: &frames))
        #expect(router.counters.oversizeMessages == 0)
    }
}
