import Bus
import Testing

@Suite("Hazard: a ROUTER drops what it cannot route")
struct UnroutableTests {
    @Test("a ROUTER tells of a peer it does not know, and sends nothing")
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

    @Test("a peer that has gone is unroutable as soon as the ROUTER has seen it go")
    func gone() throws {
        let (router, dealer) = try Fixture.pair(.router, .dealer)
        #expect(try dealer.send([1]) == .sent)
        let (peer, _) = try router.nextFromPeer()
        #expect(try router.send(to: peer, payload: [1]) == .sent)
        dealer.close()
        var frames = Frames()
        // It sees that while it reads. Else what it sends until then may fill the queue, which blocks then.
        try awaitThat {
            _ = try router.receive(into: &frames)
            return try router.send(to: peer, payload: [2]) == .unroutable
        }
    }

    @Test("without mandatory routing the same is said to be sent")
    func withoutMandatory() throws {
        var options = SocketOptions.defaults(for: .router)
        options.routerMandatory = false
        let router = try Socket(.router, context: Fixture.context, options: options)
        let stranger = try #require(RoutingID([1, 2, 3]))
        #expect(try router.send(to: stranger, payload: [1]) == .sent)
    }
}
