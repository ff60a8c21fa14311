import Bus
import Testing

@Suite("Hazard: a lost reply blocks a REQ")
struct LockStepTests {
    @Test("a REQ whose reply is lost can neither send nor receive, and a new one can")
    func req() throws {
        let (router, req) = try Fixture.pair(.router, .req)
        #expect(try req.send([1]) == .sent)
        _ = try router.nextFromPeer()
        expectError(.wrongState) { try req.send([1]) }
        let another = try Fixture.socket(.req, connectedTo: #require(try router.lastEndpoint))
        #expect(try another.send([1]) == .sent)
    }

    @Test("a REQ ignores replies without the empty delimiter, which the delimited send adds")
    func delimiter() throws {
        let (router, req) = try Fixture.pair(.router, .req)
        #expect(try req.send([1]) == .sent)
        let (peer, _) = try router.nextFromPeer()
        #expect(try router.send(to: peer, payload: [2]) == .sent)
        #expect(try router.send(to: peer, delimited: [3]) == .sent)
        #expect(try req.next() == [[3]])
    }

    @Test("a DEALER repeats a request after a lost reply, and distinguishes replies by their numbers")
    func dealer() throws {
        let (router, dealer) = try Fixture.pair(.router, .dealer)
        #expect(try dealer.send(delimited: [1]) == .sent)
        _ = try router.nextFromPeer()
        #expect(try dealer.send(delimited: [2]) == .sent)
        let (peer, frames) = try router.nextFromPeer()
        #expect(frames == [[], [2]])
        #expect(try router.send(to: peer, delimited: frames[1]) == .sent)
        #expect(try dealer.next() == [[], [2]])
    }
}
