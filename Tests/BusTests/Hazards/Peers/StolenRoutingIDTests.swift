import CZMQ
import Testing

@testable import Bus

@Suite("Hazard: a peer chooses its own routing ID")
struct StolenRoutingIDTests {
    private static let name = Array("victim".utf8)

    @Test("a ROUTER assigns a different routing ID to each peer of this library")
    func assigned() throws {
        let (router, first) = try Fixture.pair(.router, .dealer)
        let second = try Fixture.socket(.dealer, connectedTo: #require(try router.lastEndpoint))
        #expect(try first.send([1]) == .sent)
        #expect(try second.send([2]) == .sent)
        let peers = try [router.nextFromPeer().peer, router.nextFromPeer().peer]
        #expect(peers[0] != peers[1])
        // A peer cannot choose an ID that begins with 0.
        #expect(peers.allSatisfy { $0.count == 5 && $0.bytes[0] == 0 })
    }

    @Test("a second peer with a chosen ID neither sends nor receives, and the first continues")
    func second() throws {
        let (router, endpoint) = try Fixture.bound(.router)
        let victim = try Self.dealer(named: Self.name, at: endpoint)
        #expect(try victim.sendWaiting([[1]]) == .sent)
        let (peer, frames) = try router.nextFromPeer()
        #expect(peer.bytes == Self.name)
        #expect(frames == [[1]])
        let thief = try Self.dealer(named: Self.name, at: endpoint)
        #expect(try thief.sendWaiting([[2]]) == .sent)
        #expect(try router.next(using: thief, within: .milliseconds(300)) == nil)
        #expect(try router.send(to: peer, payload: [3]) == .sent)
        #expect(try victim.next() == [[3]])
        #expect(try victim.send([4]) == .sent)
        #expect(try router.nextFromPeer().frames == [[4]])
    }

    @Test("with handover, which has no option, the second peer takes the first one's place")
    func handover() throws {
        let router = try Socket(.router, context: Fixture.context)
        try router.set(ZMQ_ROUTER_HANDOVER, to: 1, name: "handover")
        try router.bind(.tcp(host: "127.0.0.1", port: 0))
        let endpoint = try #require(try router.lastEndpoint)
        let victim = try Self.dealer(named: Self.name, at: endpoint)
        #expect(try victim.sendWaiting([[1]]) == .sent)
        let (peer, _) = try router.nextFromPeer()
        let thief = try Self.dealer(named: Self.name, at: endpoint)
        #expect(try thief.sendWaiting([[2]]) == .sent)
        #expect(try router.nextFromPeer().frames == [[2]])
        #expect(try router.send(to: peer, payload: [3]) == .sent)
        #expect(try thief.next() == [[3]])
        #expect(!victim.isClosed)
    }

    private static func dealer(named name: [UInt8], at endpoint: Endpoint) throws -> Socket {
        let dealer = try Socket(.dealer, context: Fixture.context)
        try dealer.set(ZMQ_ROUTING_ID, to: name, name: "routing id")
        try dealer.connect(endpoint)
        return dealer
    }
}
