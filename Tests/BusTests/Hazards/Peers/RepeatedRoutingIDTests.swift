import Foundation
import Testing

@testable import Bus

/// Each part runs in a process of its own, because libzmq counts on within one.
@Suite("Hazard: the IDs of a ROUTER's peers repeat after a restart", .timeLimit(.minutes(1)))
struct RepeatedRoutingIDTests {
    /// A ROUTER with one peer, and the ID of the peer.
    private static func connect(
        saying text: String
    ) throws -> (router: Socket, dealer: Socket, peer: RoutingID) {
        let (router, dealer) = try Fixture.pair(.router, .dealer)
        #expect(try dealer.send(Array(text.utf8)) == .sent)
        let (peer, frames) = try router.nextFromPeer()
        #expect(frames == [Array(text.utf8)])
        return (router, dealer, peer)
    }

    @Test("the first peer of another process gets the same ID, and what was for the former one")
    func repeated() async throws {
        let former = await #expect(processExitsWith: .success, observing: [\.standardOutputContent]) {
            let (_, _, peer) = try Self.connect(saying: "I am the former one")
            print("peer=\(peer.bytes.map { "\($0)" }.joined(separator: ","))")
        }
        let output = String(decoding: try #require(former).standardOutputContent, as: UTF8.self)
        let text = try #require(output.firstMatch(of: /peer=([0-9,]+)/)).output.1
        let kept = text.split(separator: ",").compactMap { UInt8($0) }
        #expect(kept.count == 5)
        await #expect(processExitsWith: .success) { [kept = kept as [UInt8]] in
            let (router, dealer, _) = try Self.connect(saying: "I am another one")
            let peer = try #require(RoutingID(kept))
            #expect(try router.send(to: peer, payload: [1]) == .sent)
            #expect(try dealer.next() == [[1]])
        }
    }
}
