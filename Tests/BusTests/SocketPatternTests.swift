import Bus
import Testing

@Suite("Socket patterns")
struct SocketPatternTests {
    @Test("PULL receives messages of PUSH in order")
    func pushPull() throws {
        let (pull, push) = try Fixture.pair(.pull, .push)
        for number in UInt8(0)..<100 { #expect(try push.send([number]) == .sent) }
        for number in UInt8(0)..<100 { #expect(try pull.next() == [[number]]) }
        #expect(push.counters.sentMessages == 100)
        #expect(pull.counters.receivedMessages == 100)
    }

    @Test("XPUB receives a subscription, and publishes to its topics only")
    func xpubSub() throws {
        let (xpub, sub) = try Fixture.pair(.xpub, .sub)
        try sub.subscribe(prefix: "a.")
        #expect(try xpub.next() == [[1] + Array("a.".utf8)])
        #expect(try xpub.send(topic: Array("b.1".utf8), payload: [1]) == .sent)
        #expect(try xpub.send(topic: Array("a.1".utf8), payload: [2]) == .sent)
        #expect(try sub.next() == [Array("a.1".utf8), [2]])
        try sub.unsubscribe(prefix: "a.")
        #expect(try xpub.next() == [[0] + Array("a.".utf8)])
    }

    @Test(
        "XPUB receives a second subscription to a topic only with everySubscription",
        arguments: [false, true])
    func everySubscription(isReceived: Bool) throws {
        var options = SocketOptions.defaults(for: .xpub)
        options.everySubscription = isReceived
        options.receiveTimeout = .seconds(1)
        let (xpub, first) = try Fixture.pair(.xpub, .sub, boundOptions: options)
        try first.subscribe(prefix: "a.")
        #expect(try xpub.next() == [[1] + Array("a.".utf8)])
        let second = try Fixture.socket(.sub, connectedTo: try #require(try xpub.lastEndpoint))
        try second.subscribe(prefix: "a.")
        try second.subscribe(prefix: "b.")
        if isReceived { #expect(try xpub.next() == [[1] + Array("a.".utf8)]) }
        #expect(try xpub.next() == [[1] + Array("b.".utf8)])
    }

    @Test("SUB receives messages of PUB once its subscription has arrived")
    func pubSub() throws {
        var options = SocketOptions.defaults(for: .sub)
        options.receiveTimeout = .milliseconds(10)
        let (pub, sub) = try Fixture.pair(.pub, .sub, connectedOptions: options)
        try sub.subscribe(prefix: [])
        var received: [[UInt8]]?
        for _ in 0..<500 where received == nil {
            #expect(try pub.send(topic: [7], payload: [8]) == .sent)
            received = try sub.next()
        }
        #expect(received == [[7], [8]])
    }

    @Test("ROUTER answers a DEALER with the delimiter it sent")
    func routerDealer() throws {
        let (router, dealer) = try Fixture.pair(.router, .dealer)
        #expect(try dealer.send(delimited: [1, 2]) == .sent)
        let (peer, frames) = try router.nextFromPeer()
        #expect(peer.count == 5)
        #expect(frames == [[], [1, 2]])
        #expect(try router.send(to: peer, delimited: [3]) == .sent)
        #expect(try dealer.next() == [[], [3]])
        #expect(try router.send(to: peer, payload: [4]) == .sent)
        #expect(try dealer.next() == [[4]])
    }

    @Test("a ROUTER serves a plain REQ, which cannot send twice")
    func reqRouter() throws {
        let (router, req) = try Fixture.pair(.router, .req)
        #expect(try req.send([1]) == .sent)
        expectError(.wrongState) { try req.send([2]) }
        let (peer, frames) = try router.nextFromPeer()
        #expect(frames == [[], [1]])
        #expect(try router.send(to: peer, delimited: [9]) == .sent)
        #expect(try req.next() == [[9]])
        #expect(try req.send([3]) == .sent)
    }

    @Test("PAIR sends messages of several frames both ways")
    func pair() throws {
        let (one, other) = try Fixture.pair(.pair, .pair)
        #expect(try one.send([[1], [], [2, 3]]) == .sent)
        #expect(try other.next() == [[1], [], [2, 3]])
        #expect(try other.sendWaiting([[4]]) == .sent)
        #expect(try one.next() == [[4]])
    }

    @Test("a tcp wildcard reports the port that the system chose, and receives there")
    func tcpWildcard() throws {
        let pull = try Socket(.pull, context: Fixture.context)
        #expect(try pull.lastEndpoint == nil)
        try pull.bind(.tcp(host: "127.0.0.1", port: 0))
        let endpoint = try #require(try pull.lastEndpoint)
        #expect(endpoint.isLoopback)
        #expect(!endpoint.description.hasSuffix(":*"))
        let push = try Fixture.socket(.push, connectedTo: endpoint)
        #expect(try push.sendWaiting([[5]]) == .sent)
        #expect(try pull.next() == [[5]])
    }

    @Test("a socket kind that cannot receive throws")
    func notSupported() throws {
        let pub = try Socket(.pub, context: Fixture.context)
        var frames = Frames()
        expectError(.notSupported) { try pub.receive(into: &frames) }
    }
}
