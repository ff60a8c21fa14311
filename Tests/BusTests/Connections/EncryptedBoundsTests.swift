import CZMQ
import RawPeers
import Testing

@testable import Bus

@Suite("Bounds of encrypted connections", .timeLimit(.minutes(1)))
struct EncryptedBoundsTests {
    private func bounded(
        _ kind: SocketKind = .router, connections: Int = 8,
        _ change: (inout ConnectionBounds) -> Void = { _ in }
    ) throws -> BoundedSocket {
        var bounds = ConnectionBounds(connections: connections)
        change(&bounds)
        return try BoundedSocket(kind, bounds, over: .tcp, keys: .generate()) {
            $0.approvesSubscriptions = kind == .xpub
            // Raw peers do not answer.
            $0.heartbeat = nil
        }
    }

    @Test("clients of libzmq are served, with messages of every size")
    func served() throws {
        let bounded = try bounded()
        let client = try bounded.client(.dealer)
        for bytes in [0, 1, 100, 255, 256, 10_000, 65_536] {
            let message = [[UInt8](repeating: 1, count: bytes), [2]]
            #expect(try client.sendWaiting(message) == .sent)
            let (peer, frames) = try bounded.socket.nextFromPeer()
            #expect(frames == message)
            #expect(bounded.socket.mayReach(peer, bytes: 10))
            #expect(try bounded.socket.send(to: peer, payload: message[0]) == .sent)
            #expect(try client.next() == [message[0]])
        }
        #expect(bounded.socket.connectionCounts.ended == 0)
    }

    @Test("a peer with too many unread bytes is disconnected, and one whose messages are received is not")
    func unread() throws {
        let bounded = try bounded { $0.unreadBytes = 100_000 }
        let (honest, flooding) = (try bounded.encryptedPeer(), try bounded.encryptedPeer())
        let content = [UInt8](repeating: 1, count: 1_000)
        for _ in 0..<300 {
            try honest.send(content)
            #expect(try bounded.receive(1) != nil)
        }
        for _ in 0..<300 { try? flooding.send(content) }
        try flooding.connection.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended == 1)
        #expect(!honest.connection.isHungUp)
        try honest.send([2])
        #expect(try bounded.socket.nextFromPeer().frames == [[2]])
    }

    @Test("heartbeats are not counted as unread messages, although the socket never receives them")
    func heartbeats() throws {
        let bounded = try bounded { $0.unreadBytes = 5_000 }
        let peer = try bounded.encryptedPeer()
        for _ in 0..<1_000 { try peer.send([4] + Array("PING".utf8) + [0, 0], flags: 2) }
        try peer.send([1])
        #expect(try bounded.receive(1) != nil)
        #expect(!peer.connection.isHungUp)
    }

    @Test("a peer with endless frames or a long partial message is disconnected", arguments: [1, 60_000])
    func partial(bytes: Int) throws {
        let bounded = try bounded()
        let peer = try bounded.encryptedPeer()
        for _ in 0..<2_100 {
            do { try peer.send([UInt8](repeating: 1, count: bytes), flags: 1) } catch { break }
        }
        try peer.connection.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended == 1)
    }

    @Test("a frame of more than 64 KiB ends its connection")
    func largeFrame() throws {
        let bounded = try bounded()
        let peer = try bounded.encryptedPeer()
        try? peer.send([UInt8](repeating: 1, count: 65_537))
        try peer.connection.awaitHangUp()
    }

    @Test("a peer whose outer frames have flags is disconnected", arguments: [UInt8(1), 2])
    func outerFlags(flags: UInt8) throws {
        let bounded = try bounded()
        let peer = try bounded.encryptedPeer()
        try peer.send([1], outer: flags)
        try peer.connection.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended == 1)
    }

    @Test("a peer that chooses its routing ID is disconnected, and one with an empty ID is not")
    func routingID() throws {
        let bounded = try bounded()
        let property = [8] + Array("Identity".utf8) + [0, 0, 0]
        let peer = try bounded.encryptedPeer(properties: property + [1, 7])
        try peer.connection.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended == 1)
        let anonymous = try bounded.encryptedPeer(properties: property + [0])
        try awaitThat {
            // The answer to the handshake came before this message can be sent.
            try anonymous.send([1])
            return try bounded.receive(1) != nil
        }
    }

    @Test("a peer without encryption, or one that is no peer of CURVE, is disconnected")
    func plain() throws {
        let bounded = try bounded()
        let null = try RawConnection(to: bounded.endpoint)
        try null.write(ZMTP.greeting + ZMTP.ready("DEALER"))
        try null.awaitHangUp()
        let other = try RawCurvePeer(to: bounded.endpoint, server: CurveKeyPair.generate().publicKey)
        try other.greet()
        try other.sayHello()
        try other.connection.awaitHangUp()
    }

    @Test("a client completes its handshake among many connections that know no key")
    func besieged() throws {
        let bounded = try bounded(connections: 20)
        let active = try bounded.encryptedPeer()
        try active.send([1])
        #expect(try bounded.receive(1) != nil)
        let keys = try #require(bounded.keys)
        let slow = try RawCurvePeer(to: bounded.endpoint, server: keys.publicKey)
        try slow.greet()
        try slow.introduce()
        var others: [RawCurvePeer] = []
        for number in 0..<500 {
            others.append(try RawCurvePeer(to: bounded.endpoint, server: CurveKeyPair.generate().publicKey))
            // Some greet the server, which knows none of them.
            if number % 2 == 0 { try? others[number].greet() }
        }
        try others[400].connection.awaitHangUp()
        #expect(bounded.socket.connectionCounts.displaced > 400)
        #expect(!slow.connection.isHungUp && !active.connection.isHungUp)
        try slow.initiate(as: "DEALER")
        try slow.send([2])
        #expect(try bounded.socket.nextFromPeer().frames == [[2]])
        let client = try bounded.client(.dealer)
        #expect(try client.sendWaiting([[3]]) == .sent)
        #expect(try bounded.socket.nextFromPeer().frames == [[3]])
    }

    /// The two forms of a subscription, and of its end.
    enum Form: CaseIterable, Sendable {
        case message, command

        func begin(_ topic: [UInt8]) -> (content: [UInt8], flags: UInt8) {
            self == .message ? ([1] + topic, 0) : ([9] + Array("SUBSCRIBE".utf8) + topic, 2)
        }

        func end(_ topic: [UInt8]) -> (content: [UInt8], flags: UInt8) {
            self == .message ? ([0] + topic, 0) : ([6] + Array("CANCEL".utf8) + topic, 2)
        }
    }

    @Test(
        "a subscriber with a million topics is disconnected, whether they are received or not",
        arguments: Form.allCases, [true, false])
    func subscriptions(form: Form, areReceived: Bool) throws {
        let bounded = try bounded(.xpub) {
            $0.subscriptions = 1_000
            $0.unreadBytes = 128 << 10
        }
        let sub = try bounded.encryptedPeer("SUB")
        var frames = Frames()
        for number in 0..<1_000_000 {
            let topic = [16, 8, 0].map { UInt8(number >> $0 & 255) }
            let (content, flags) = form.begin(topic)
            do { try sub.send(content, flags: flags) } catch { break }
            if areReceived { while try bounded.socket.receive(into: &frames) {} }
        }
        try sub.connection.awaitHangUp()
        // libzmq ends each subscription of a closed connection.
        try bounded.receive { bounded.socket.counters.receivedMessages >= 2_000 }
        #expect(bounded.socket.counters.receivedMessages < 8_000)
        #expect(bounded.socket.connectionCounts.ended == 1)
    }

    @Test("a subscriber that ends its subscriptions stays connected", arguments: Form.allCases)
    func renewedSubscriptions(form: Form) throws {
        let bounded = try bounded(.xpub) {
            $0.subscriptions = 10
            $0.unreadBytes = 10_000
        }
        let sub = try bounded.encryptedPeer("SUB")
        for number in 0..<1_000 {
            let topic = [UInt8(number >> 8), UInt8(number & 255)]
            let (begin, end) = (form.begin(topic), form.end(topic))
            try sub.send(begin.content, flags: begin.flags)
            try sub.send(end.content, flags: end.flags)
            try bounded.receive { bounded.socket.counters.receivedMessages == 2 * number + 2 }
        }
        #expect(!sub.connection.isHungUp)
        #expect(bounded.socket.connectionCounts.ended == 0)
    }

    @Test("a subscriber to a topic of more than 255 bytes is disconnected")
    func longTopic() throws {
        let bounded = try bounded(.xpub) { $0.subscriptions = 10 }
        let sub = try bounded.encryptedPeer("SUB")
        let (allowed, long) = ([UInt8](repeating: 7, count: 255), [UInt8](repeating: 7, count: 256))
        try sub.send(Form.message.begin(allowed).content)
        try bounded.receive { bounded.socket.counters.receivedMessages == 1 }
        #expect(!sub.connection.isHungUp)
        try sub.send(Form.message.begin(long).content)
        try bounded.receive { bounded.socket.connectionCounts.ended == 1 }
        try sub.connection.awaitHangUp()
    }

    @Test("messages to a peer that does not read are refused beyond the bound, until it reads")
    func unsent() throws {
        let bounded = try bounded { $0.unsentBytes = 1 << 20 }
        let raw = try bounded.encryptedPeer()
        try raw.send([1])
        let peer = try #require(try bounded.receive(1))
        // The bound is a fraction of what libzmq's queue holds, which is half of its 10,000 messages if its
        // thread is slow. On the wire a reply has 42 bytes more.
        let reply = [UInt8](repeating: 1, count: 1_000)
        var sent = 0
        try awaitThat {
            while try bounded.socket.send(to: peer, payload: reply) == .sent, sent < 1_000_000 { sent += 1 }
            return !bounded.socket.mayReach(peer, bytes: 1_000)
        }
        try raw.connection.read(bytes: sent * (1_000 + 42))
        try awaitThat { try bounded.socket.send(to: peer, payload: reply) == .sent }
    }

    @Test("the owner ends the connection of a peer whose key was revoked")
    func ended() throws {
        let bounded = try bounded()
        let (revoked, kept) = (try bounded.encryptedPeer(), try bounded.encryptedPeer())
        try revoked.send([1])
        #expect(try bounded.receive(1) != nil)
        #expect(bounded.socket.end(try #require(bounded.socket.lastConnection)))
        try revoked.connection.awaitHangUp()
        try kept.send([2])
        #expect(try bounded.socket.nextFromPeer().frames == [[2]])
        #expect(bounded.socket.endConnections { _ in true } == 1)
        try kept.connection.awaitHangUp()
    }
}
