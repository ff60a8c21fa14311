import CZMQ
import Glibc
import RawPeers
import Testing

@testable import Bus

@Suite("Bounds of connections over tcp", .timeLimit(.minutes(1)))
struct NetworkBoundsTests {
    @Test("a new connection replaces the oldest silent one, and none that has sent a message")
    func crowd() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 4), over: .tcp)
        let honest = try bounded.peer()
        try honest.write(ZMTP.frame([1]))
        #expect(try bounded.receive(1) != nil)
        let greeted = try RawConnection(to: bounded.endpoint)
        try greeted.write(ZMTP.greeting)
        try greeted.read(bytes: ZMTP.greeting.count)
        let silent = try (0..<1_000).map { _ in try RawConnection(to: bounded.endpoint) }
        try silent[990].awaitHangUp()
        #expect(!greeted.isHungUp && !honest.isHungUp)
        try greeted.write(ZMTP.ready("DEALER") + ZMTP.frame([1]))
        #expect(try bounded.receive(1) != nil)
        #expect(bounded.socket.connectionCounts.open <= 6)
    }

    @Test(
        "a peer with endless frames, a long partial message or a routing ID is disconnected",
        arguments: [
            (0..<2_100).flatMap { _ in ZMTP.frame([1], hasMore: true) },
            (0..<3).flatMap { _ in ZMTP.frame([UInt8](repeating: 1, count: 60_000), hasMore: true) },
            ZMTP.frame([UInt8](repeating: 1, count: 70_000)),
        ])
    func partial(bytes: [UInt8]) throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 4), over: .tcp)
        let peer = try bounded.peer()
        try? peer.write(bytes)
        try peer.awaitHangUp()
        let named = try RawConnection(to: bounded.endpoint)
        let property = [8] + Array("Identity".utf8) + [0, 0, 0, 1, 7]
        try named.write(ZMTP.greeting + ZMTP.ready("DEALER", property))
        try named.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended >= 1)
    }

    @Test("a peer with too many unread bytes is disconnected, and one whose messages are received is not")
    func unread() throws {
        var bounds = ConnectionBounds(connections: 4)
        bounds.unreadBytes = 100_000
        let bounded = try BoundedSocket(.router, bounds, over: .tcp)
        let (honest, flooding) = (try bounded.peer(), try bounded.peer())
        let message = ZMTP.frame([UInt8](repeating: 1, count: 1_000))
        for _ in 0..<300 {
            try honest.write(message)
            #expect(try bounded.receive(1) != nil)
        }
        for _ in 0..<300 { try? flooding.write(message) }
        try flooding.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended == 1)
        try honest.write(ZMTP.frame([2]))
        #expect(try bounded.socket.nextFromPeer().frames == [[2]])
    }

    @Test("a subscriber with too many topics is disconnected")
    func subscriptions() throws {
        var bounds = ConnectionBounds(connections: 4)
        bounds.subscriptions = 10
        let bounded = try BoundedSocket(.xpub, bounds, over: .tcp) { $0.approvesSubscriptions = true }
        let sub = try bounded.peer("SUB")
        for number in UInt8(0)..<10 { try sub.write(ZMTP.frame([1, number])) }
        try bounded.receive { bounded.socket.counters.receivedMessages == 10 }
        #expect(!sub.isHungUp)
        try sub.write(ZMTP.frame([1, 10]))
        try bounded.receive { bounded.socket.connectionCounts.ended == 1 }
        try sub.awaitHangUp()
    }

    @Test("messages to a peer that does not read are refused beyond the bound, until it reads")
    func unsent() throws {
        var bounds = ConnectionBounds(connections: 4)
        bounds.unsentBytes = 1 << 20
        let bounded = try BoundedSocket(.router, bounds, over: .tcp) { $0.heartbeat = nil }
        let raw = try bounded.peer()
        try raw.write(ZMTP.frame([1]))
        let peer = try #require(try bounded.receive(1))
        let reply = [UInt8](repeating: 1, count: 50_000)
        var sent = 0
        try awaitThat {
            while try bounded.socket.send(to: peer, payload: reply) == .sent, sent < 1_000 { sent += 1 }
            return !bounded.socket.mayReach(peer, bytes: 50_000)
        }
        // The system accepts some megabytes too.
        #expect((20..<400).contains(sent))
        try raw.read(bytes: sent * (50_000 + 9))
        try awaitThat { try bounded.socket.send(to: peer, payload: reply) == .sent }
    }

    @Test(
        "a bounded socket listens at names, addresses of both kinds, and all interfaces",
        arguments: ["127.0.0.1", "[::1]", "localhost", "*", "[::]", "0.0.0.0"])
    func hosts(host: String) throws {
        var options = SocketOptions.defaults(for: .router)
        options.bounds = ConnectionBounds(connections: 4)
        let router = try Socket(.router, context: Fixture.context, options: options)
        try router.bind(.tcp(host: host, port: 0))
        let last = try #require(try router.lastEndpoint).description
        let port = try #require(last.split(separator: ":").last.flatMap { UInt16($0) })
        #expect(port > 0)
        // All interfaces have IPv6 and IPv4 addresses.
        let peers = host == "*" ? ["127.0.0.1", "[::1]"] : [host]
        for peer in peers {
            let dealer = try Socket(.dealer, context: Fixture.context)
            try dealer.connect(.tcp(host: peer == "0.0.0.0" ? "127.0.0.1" : peer, port: port))
            #expect(try dealer.sendWaiting([[1]]) == .sent)
            #expect(try router.nextFromPeer().frames == [[1]])
        }
        #expect(router.connectionCounts.accepted == UInt64(peers.count))
        let second = try Socket(.router, context: Fixture.context, options: options)
        #expect(throws: BusError.self) { try second.bind(.tcp(host: host, port: port)) }
        #expect(throws: BusError.self) { try second.bind(.tcp(host: "192.0.2.1", port: 0)) }
        #expect(throws: BusError.self) { try second.bind(.tcp(host: "name.invalid", port: 0)) }
    }

    @Test("accepted connections send at once, and the system probes silent ones")
    func tuning() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 4), over: .tcp)
        let peer = try bounded.peer()
        try peer.write(ZMTP.frame([1]))
        #expect(try bounded.receive(1) != nil)
        let descriptor = try #require(bounded.socket.lastConnection).descriptor
        #expect(Self.option(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY) == 1)
        #expect(Self.option(descriptor, SOL_SOCKET, SO_KEEPALIVE) == 1)
        #expect(Self.option(descriptor, Int32(IPPROTO_TCP), TCP_KEEPIDLE) == 10)
    }

    private static func option(_ descriptor: Int32, _ level: Int32, _ name: Int32) -> Int32 {
        var (value, size) = (Int32(0), socklen_t(MemoryLayout<Int32>.size))
        getsockopt(descriptor, level, name, &value, &size)
        return value
    }

    @Test("in a context of several I/O threads, a bounded socket is served by one of them")
    func threads() throws {
        let context = try Context(ioThreads: 2)
        var bounds = ConnectionBounds(connections: 40)
        #expect(throws: BusError.self) { try BoundedSocket(.router, bounds, over: .tcp, context: context) }
        bounds.affinity = 2
        let bounded = try BoundedSocket(.router, bounds, over: .tcp, context: context)
        #expect(try bounded.socket.readWide(ZMQ_AFFINITY) == 2)
        let peers = try (0..<20).map { _ in try bounded.peer() }
        for peer in peers { try peer.write(ZMTP.frame([1])) }
        #expect(try bounded.receive(20) != nil)
        bounded.socket.close()
        context.terminate()
    }

    @Test("the owner ends one connection, or all but some")
    func ended() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 8), over: .tcp)
        let (revoked, kept, silent) = (try bounded.peer(), try bounded.peer(), try bounded.peer())
        try kept.write(ZMTP.frame([1]))
        #expect(try bounded.receive(1) != nil)
        let keptConnection = try #require(bounded.socket.lastConnection)
        for number in UInt8(2)...9 { try revoked.write(ZMTP.frame([number])) }
        try revoked.awaitQueued()
        #expect(try bounded.receive(1) != nil)
        let connection = try #require(bounded.socket.lastConnection)
        #expect(connection != keptConnection)
        #expect(bounded.socket.end(connection))
        try revoked.awaitHangUp()
        // Its other messages are dropped.
        try kept.write(ZMTP.frame([10]))
        #expect(try bounded.socket.nextFromPeer().frames == [[10]])
        #expect(bounded.socket.counters.receivedMessages == 3)
        try awaitThat { bounded.socket.connectionCounts.open == 2 }
        // The system gives the next connection the same descriptor.
        let next = try bounded.peer()
        try next.write(ZMTP.frame([11]))
        #expect(try bounded.socket.nextFromPeer().frames == [[11]])
        #expect(!bounded.socket.end(connection))
        #expect(bounded.socket.endConnections { $0 != keptConnection } == 2)
        try silent.awaitHangUp()
        try next.awaitHangUp()
        #expect(!kept.isHungUp)
        #expect(bounded.socket.connectionCounts.ended == 3)
    }
}
