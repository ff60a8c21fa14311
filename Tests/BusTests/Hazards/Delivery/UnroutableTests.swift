import Bus
import Testing

@Suite("Hazard: a ROUTER drops messages that it cannot route")
struct UnroutableTests {
    @Test("a ROUTER reports an unknown peer, and sends nothing")
    func unroutable() throws {
        let (router, dealer) = try Fixture.pair(.router, .dealer)
        let stranger = try #require(RoutingID([1, 2, 3]))
        #expect(try router.send(to: stranger, payload: [1]) == .unroutable)
        #expect(try router.send(to: stranger, delimited: [1]) == .unroutable)
        #expect(router.counters.unroutableMessages == 2)
        #expect(router.counters.sentMessages == 0)
        var frames = Frames()
        #expect(try !dealer.receive(into: &frames))
    }

    @Test("a closed peer is unroutable as soon as the ROUTER has detected it")
    func disconnected() throws {
        let (router, dealer) = try Fixture.pair(.router, .dealer)
        #expect(try dealer.send([1]) == .sent)
        let (peer, _) = try router.nextFromPeer()
        #expect(try router.send(to: peer, payload: [1]) == .sent)
        dealer.close()
        var frames = Frames()
        // The ROUTER detects that while it reads. Otherwise the messages sent until then may fill the queue,
        // which then blocks.
        try awaitThat {
            _ = try router.receive(into: &frames)
            return try router.send(to: peer, payload: [2]) == .unroutable
        }
    }

    @Test("without mandatory routing a message to an unknown peer is reported as sent")
    func withoutMandatory() throws {
        var options = SocketOptions.defaults(for: .router)
        options.routerMandatory = false
        let router = try Socket(.router, context: Fixture.context, options: options)
        let stranger = try #require(RoutingID([1, 2, 3]))
        #expect(try router.send(to: stranger, payload: [1]) == .sent)
    }
}
