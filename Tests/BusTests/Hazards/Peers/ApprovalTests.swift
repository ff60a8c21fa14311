import CZMQ
import RawPeers
import Testing

@testable import Bus

@Suite("Hazard: an approval may concern another peer", .timeLimit(.minutes(1)))
struct ApprovalTests {
    private static let ticket = Array("ticket".utf8)
    private static let topic = Array("u/1/".utf8)

    private static func bound() throws -> (xpub: Socket, endpoint: Endpoint) {
        var options = SocketOptions.defaults(for: .xpub)
        options.approvesSubscriptions = true
        let (xpub, endpoint) = try Fixture.bound(.xpub, options: options)
        return (xpub, endpoint)
    }

    /// A subscriber whose subscriptions the publisher has received.
    private static func subscriber(
        of xpub: Socket, at endpoint: Endpoint, to prefixes: [[UInt8]], thenApproved topic: [UInt8]? = nil
    ) throws -> Socket {
        let sub = try Fixture.socket(.sub, connectedTo: endpoint)
        for prefix in prefixes {
            try sub.subscribe(prefix: prefix)
            #expect(try xpub.next(using: sub) == [[1] + prefix])
        }
        if let topic { try xpub.approve(topic: topic) }
        return sub
    }

    @Test("an approved peer receives the topic, and other peers nothing, with any subscription")
    func approved() throws {
        let (xpub, endpoint) = try Self.bound()
        let approved = try Self.subscriber(
            of: xpub, at: endpoint, to: [Self.topic, Self.ticket], thenApproved: Self.topic)
        let others = try [[], Self.topic, Self.ticket].map {
            try Self.subscriber(of: xpub, at: endpoint, to: [$0])
        }
        let last = try Self.subscriber(
            of: xpub, at: endpoint, to: [Array("v/".utf8)], thenApproved: Array("v/".utf8))
        #expect(try xpub.send(topic: Self.topic, payload: [1]) == .sent)
        #expect(try xpub.send(topic: Array("v/".utf8), payload: [2]) == .sent)
        #expect(try approved.next() == [Self.topic, [1]])
        #expect(try last.next() == [Array("v/".utf8), [2]])
        var frames = Frames()
        for other in others { #expect(try !other.receive(into: &frames)) }
    }

    @Test("a peer that reconnects sends its subscriptions again, and receives nothing before its approval")
    func reconnected() throws {
        let (xpub, endpoint) = try Self.bound()
        let sub = try Self.subscriber(of: xpub, at: endpoint, to: [Self.topic], thenApproved: Self.topic)
        try xpub.unbind(endpoint)
        #expect(try xpub.next(using: sub) == [[0] + Self.topic])
        try xpub.bind(endpoint)
        #expect(try xpub.next(using: sub) == [[1] + Self.topic])
        #expect(try xpub.send(topic: Self.topic, payload: [1]) == .sent)
        try xpub.approve(topic: Self.topic)
        #expect(try xpub.send(topic: Self.topic, payload: [2]) == .sent)
        #expect(try sub.next() == [Self.topic, [2]])
    }

    @Test("an approval after a message other than a subscription concerns the sender of the next message")
    func shifted() throws {
        let (xpub, endpoint) = try Self.bound()
        let (thief, owner) = (try RawConnection(to: endpoint), try RawConnection(to: endpoint))
        for peer in [thief, owner] { try peer.shakeHands(as: "SUB") }
        for (peer, message) in [(thief, Array("message".utf8)), (owner, [1] + Self.ticket), (thief, [1])] {
            try peer.write(ZMTP.frame(message))
            try peer.awaitQueued()
            // libzmq moves it to the queue of received messages.
            _ = try xpub.read(ZMQ_EVENTS, name: "events")
        }
        #expect(try xpub.next()?[0] == Array("message".utf8))
        #expect(try xpub.next()?[0] == [1] + Self.ticket)
        try xpub.approve(topic: Self.topic)
        #expect(try xpub.next()?[0] == [1])
        #expect(try xpub.send(topic: Self.topic, payload: [7]) == .sent)
        let expected = ZMTP.short(Self.topic, hasMore: true) + ZMTP.short([7])
        #expect(try thief.readExactly(expected.count) == expected)
    }

    @Test("the end of a closed peer is received after its subscription, before the queue is empty")
    func disconnected() throws {
        let (xpub, endpoint) = try Self.bound()
        do {
            let peer = try RawConnection(to: endpoint)
            try peer.shakeHands(as: "SUB")
            try peer.write(ZMTP.frame([1] + Self.ticket))
            try peer.awaitQueued()
        }
        #expect(try xpub.next()?[0] == [1] + Self.ticket)
        #expect(try xpub.next()?[0] == [0] + Self.ticket)
    }
}
