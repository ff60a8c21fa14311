import Bus
import Glibc
import RawPeers
import TestSupport
import Testing

@Suite("Bounds of connections", .timeLimit(.minutes(1)))
struct ConnectionBoundsTests {
    @Test("a new connection replaces the oldest silent one, and none that has sent a message")
    func crowd() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 4))
        let honest = try bounded.peer()
        try honest.write(ZMTP.frame([1]))
        #expect(try bounded.receive(1) != nil)
        let silent = try (0..<4).map { _ in try RawConnection(to: bounded.endpoint) }
        try silent[0].awaitHangUp()
        #expect(silent.dropFirst().allSatisfy { !$0.isHungUp })
        #expect(!honest.isHungUp)
        #expect(bounded.socket.connectionCounts.displaced == 1)
        #expect(bounded.socket.connectionCounts.accepted == 5)
    }

    @Test("a new connection replaces one that sent nothing before one in its handshake")
    func handshake() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 4))
        let slow = try RawConnection(to: bounded.endpoint)
        try slow.write(ZMTP.greeting)
        try slow.awaitAccepted()
        let silent = try (0..<20).map { _ in try RawConnection(to: bounded.endpoint) }
        for peer in silent.prefix(16) { try peer.awaitHangUp() }
        #expect(!slow.isHungUp)
        try slow.write(ZMTP.ready("DEALER") + ZMTP.frame([1]))
        #expect(try bounded.receive(1) != nil)
        withExtendedLifetime(silent) {}
    }

    @Test("if all connections have sent messages, a new one replaces the one that was silent longest")
    func quiet() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 3))
        let peers = try (0..<3).map { _ in try bounded.peer() }
        for number in [0, 1, 2, 0] {
            try peers[number].write(ZMTP.frame([1]))
            #expect(try bounded.receive(1) != nil)
        }
        let fourth = try bounded.peer()
        try peers[1].awaitHangUp()
        #expect(!peers[0].isHungUp && !peers[2].isHungUp && !fourth.isHungUp)
    }

    @Test("1,000 silent connections leave room for an active one, and are soon closed")
    func besieged() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 20))
        let silent = try (0..<1_000).map { _ in try RawConnection(to: bounded.endpoint) }
        let honest = try bounded.peer()
        try honest.write(ZMTP.frame([1]))
        #expect(try bounded.receive(1) != nil)
        #expect(bounded.socket.connectionCounts.open <= 26)
        #expect(silent.filter { !$0.isHungUp }.count <= 26)
        withExtendedLifetime(silent) {}
    }

    @Test(
        "a peer with endless frames, a long partial message or another protocol is disconnected",
        arguments: [
            (0..<2_100).flatMap { _ in ZMTP.frame([1], hasMore: true) },
            (0..<3).flatMap { _ in ZMTP.frame([UInt8](repeating: 1, count: 60_000), hasMore: true) },
        ])
    func partial(bytes: [UInt8]) throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 4))
        let peer = try bounded.peer()
        try? peer.write(bytes)
        try peer.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended == 1)
        let old = try RawConnection(to: bounded.endpoint)
        // ZMTP 1: a routing ID of no bytes.
        try old.write([1, 0])
        try old.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended == 2)
    }

    @Test("a message of 64 frames is dropped, and its connection stays")
    func manyFrames() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 4))
        let peer = try bounded.peer()
        try peer.write((0..<63).flatMap { _ in ZMTP.frame([1], hasMore: true) } + ZMTP.frame([1]))
        try peer.write(ZMTP.frame([2]))
        #expect(try bounded.socket.nextFromPeer().frames == [[2]])
        #expect(bounded.socket.counters.oversizeMessages == 1)
        #expect(!peer.isHungUp)
    }

    @Test("a peer with too many unread bytes is disconnected, and one whose messages are received is not")
    func unread() throws {
        var bounds = ConnectionBounds(connections: 4)
        bounds.unreadBytes = 100_000
        let bounded = try BoundedSocket(.router, bounds)
        let (honest, flooding) = (try bounded.peer(), try bounded.peer())
        let message = ZMTP.frame([UInt8](repeating: 1, count: 1_000))
        for _ in 0..<300 {
            try honest.write(message)
            #expect(try bounded.receive(1) != nil)
        }
        // More than 90 of these wait.
        for _ in 0..<300 { try? flooding.write(message) }
        try flooding.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended == 1)
        #expect(!honest.isHungUp)
        try honest.write(ZMTP.frame([2]))
        #expect(try bounded.socket.nextFromPeer().frames == [[2]])
    }

    @Test("unread messages of a disconnected peer are dropped, and do not count for the next peer")
    func cutOff() throws {
        var bounds = ConnectionBounds(connections: 160)
        bounds.unreadBytes = 100_000
        let bounded = try BoundedSocket(.router, bounds)
        let message = ZMTP.frame([UInt8](repeating: 1, count: 1_000))
        for round in 1...20 {
            let flooding = try bounded.peer()
            for _ in 0..<300 { try? flooding.write(message) }
            try flooding.awaitHangUp()
            #expect(bounded.socket.connectionCounts.ended == UInt64(round))
        }
        // The system would give it a number that a flood had.
        let honest = try bounded.peer()
        try honest.write(ZMTP.frame([2]))
        let received = try bounded.socket.nextFromPeer()
        #expect(received.frames == [[2]])
        #expect(bounded.socket.mayReach(received.peer, bytes: 1))
        try bounded.receive { bounded.socket.counters.floodMessages > 20 * 80 }
        #expect(bounded.socket.counters.receivedMessages == 1)
    }

    @Test("new connections are refused while many bytes of closed connections are unread")
    func manyDisconnected() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 16))
        for number in UInt8(1)...10 {
            try bounded.peer().write(ZMTP.frame([number]))
            try awaitThat { bounded.socket.connectionCounts.open == 0 }
        }
        try RawConnection(to: bounded.endpoint).awaitHangUp()
        #expect(bounded.socket.connectionCounts.refused == 1)
        let received = try (0..<10).map { _ in try bounded.socket.nextFromPeer().frames }
        #expect(Set(received) == Set((UInt8(1)...10).map { [[$0]] }))
        try bounded.peer().write(ZMTP.frame([11]))
        #expect(try bounded.socket.nextFromPeer().frames == [[11]])
        #expect(bounded.socket.counters.floodMessages == 0)
    }

    @Test("closed connections keep new ones out as long as their messages are being received")
    func slowlyReceived() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 16))
        for number in UInt8(1)...10 {
            try bounded.peer().write((0..<40).flatMap { _ in ZMTP.frame([number]) })
            try awaitThat { bounded.socket.connectionCounts.open == 0 }
        }
        // Each of the ten queues has messages left after fourteen turns.
        for _ in 0..<14 {
            for _ in 0..<10 { _ = try bounded.socket.nextFromPeer() }
            let pauseEnd = ContinuousClock.now + .milliseconds(200)
            try awaitThat { ContinuousClock.now >= pauseEnd }
        }
        try RawConnection(to: bounded.endpoint).awaitHangUp()
        #expect(bounded.socket.connectionCounts.refused == 1)
        for _ in 0..<260 { _ = try bounded.socket.nextFromPeer() }
        try bounded.peer().write(ZMTP.frame([11]))
        #expect(try bounded.socket.nextFromPeer().frames == [[11]])
    }

    @Test("if all connections together have too many unread bytes, each with more than a share is closed")
    func allUnread() throws {
        var bounds = ConnectionBounds(connections: 8)
        (bounds.unreadBytes, bounds.allUnreadBytes) = (256_000, 300_000)
        let bounded = try BoundedSocket(.router, bounds)
        let message = ZMTP.frame([UInt8](repeating: 1, count: 1_000))
        let early = try (0..<2).map { _ in try bounded.peer() }
        for peer in early {
            try peer.write((0..<130).flatMap { _ in message })
            try peer.awaitAccepted()
        }
        let (modest, greedy) = (try bounded.peer(), try bounded.peer())
        try? greedy.write((0..<150).flatMap { _ in message })
        try greedy.awaitHangUp()
        try modest.write(ZMTP.frame([2]))
        try modest.awaitAccepted()
        #expect(bounded.socket.connectionCounts.ended == 1)
        #expect(early.allSatisfy { !$0.isHungUp } && !modest.isHungUp)
    }

    @Test("a peer that chooses its routing ID is disconnected")
    func routingID() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 4))
        let peer = try RawConnection(to: bounded.endpoint)
        let property = [8] + Array("Identity".utf8) + [0, 0, 0, 1, 7]
        try peer.write(ZMTP.greeting + ZMTP.ready("DEALER", property))
        try peer.awaitHangUp()
        #expect(bounded.socket.connectionCounts.ended == 1)
    }

    /// The two forms of subscribing and unsubscribing, in ZMTP 3.0 and 3.1.
    enum Form: CaseIterable, Sendable {
        case message, command

        func begin(_ topic: [UInt8]) -> [UInt8] {
            switch self {
            case .message: ZMTP.frame([1] + topic)
            case .command: ZMTP.frame([9] + Array("SUBSCRIBE".utf8) + topic, isCommand: true)
            }
        }

        func end(_ topic: [UInt8]) -> [UInt8] {
            switch self {
            case .message: ZMTP.frame([0] + topic)
            case .command: ZMTP.frame([6] + Array("CANCEL".utf8) + topic, isCommand: true)
            }
        }
    }

    /// A publisher whose subscribers may have ten topics.
    private func publisher() throws -> BoundedSocket {
        var bounds = ConnectionBounds(connections: 4)
        bounds.subscriptions = 10
        return try BoundedSocket(.xpub, bounds) { $0.approvesSubscriptions = true }
    }

    @Test("a subscriber with too many topics is disconnected", arguments: Form.allCases)
    func subscriptions(form: Form) throws {
        let bounded = try publisher()
        let sub = try bounded.peer("SUB")
        for number in UInt8(0)..<10 { try sub.write(form.begin([number])) }
        // A repeated subscription to a topic does not count.
        for _ in 0..<20 { try sub.write(form.begin([3])) }
        try bounded.receive { bounded.socket.counters.receivedMessages >= 30 }
        try sub.awaitAccepted()
        #expect(!sub.isHungUp)
        try sub.write(form.begin([10]))
        try bounded.receive { bounded.socket.connectionCounts.ended == 1 }
        try sub.awaitHangUp()
    }

    @Test("a subscriber whose message has a subscription in a later frame is disconnected")
    func laterFrames() throws {
        let bounded = try publisher()
        let sub = try bounded.peer("SUB")
        try sub.write(ZMTP.frame([2], hasMore: true) + Form.message.begin([1]))
        try bounded.receive { bounded.socket.connectionCounts.ended == 1 }
        try sub.awaitHangUp()
    }

    @Test(
        "a subscriber that ends as many subscriptions as it begins stays connected", arguments: Form.allCases)
    func renewedSubscriptions(form: Form) throws {
        let bounded = try publisher()
        let sub = try bounded.peer("SUB")
        for number in 0..<1_000 {
            try sub.write(form.begin([UInt8(number >> 8), UInt8(number & 255)]))
            if number >= 9 { try sub.write(form.end([UInt8((number - 9) >> 8), UInt8((number - 9) & 255)])) }
            try bounded.receive { bounded.socket.counters.receivedMessages >= max(number, 2 * number - 8) }
        }
        try sub.awaitAccepted()
        #expect(!sub.isHungUp)
        #expect(bounded.socket.connectionCounts.ended == 0)
    }

    @Test(
        "ending unknown subscriptions, other messages and other commands make no room for topics",
        arguments: [
            Form.message.end([99]), Form.command.end([99]), ZMTP.frame([2, 0]),
            ZMTP.frame([6] + Array("CANCEM".utf8) + [0], isCommand: true),
        ])
    func unearnedRoom(bytes: [UInt8]) throws {
        let bounded = try publisher()
        let sub = try bounded.peer("SUB")
        for number in UInt8(0)..<10 { try sub.write(Form.message.begin([number]) + bytes) }
        try bounded.receive { bounded.socket.counters.receivedMessages >= 10 }
        try sub.awaitAccepted()
        #expect(!sub.isHungUp)
        try sub.write(Form.message.begin([10]))
        try bounded.receive { bounded.socket.connectionCounts.ended == 1 }
        try sub.awaitHangUp()
    }

    @Test("messages to a peer that does not read are refused beyond the bound, until it reads")
    func unsent() throws {
        var bounds = ConnectionBounds(connections: 4)
        bounds.unsentBytes = 1 << 20
        let bounded = try BoundedSocket(.router, bounds)
        let raw = try bounded.peer()
        try raw.write(ZMTP.frame([1]))
        let peer = try #require(try bounded.receive(1))
        let reply = [UInt8](repeating: 1, count: 50_000)
        var sent = 0
        while try bounded.socket.send(to: peer, payload: reply) == .sent, sent < 1_000 { sent += 1 }
        // The system accepts some hundred kilobytes too.
        #expect((20..<60).contains(sent))
        try awaitThat {
            let wasSent = try bounded.socket.send(to: peer, payload: reply) == .sent
            return !wasSent && !bounded.socket.mayReach(peer, bytes: 50_000)
        }
        try raw.read(bytes: sent * (50_000 + 9))
        try awaitThat { try bounded.socket.send(to: peer, payload: reply) == .sent }
    }

    @Test("a closed connection is reported as closed while its messages are still unread")
    func disconnected() throws {
        let bounded = try BoundedSocket(.router, ConnectionBounds(connections: 4))
        var raw: RawConnection? = try bounded.peer()
        for number in UInt8(1)...2 { try raw?.write(ZMTP.frame([number])) }
        let disconnected = try #require(try bounded.receive(1))
        #expect(bounded.socket.mayReach(disconnected, bytes: 1))
        raw = nil
        try awaitThat { bounded.socket.connectionCounts.open == 0 }
        #expect(!bounded.socket.mayReach(disconnected, bytes: 1))
        // The system gives the next connection the same number.
        let next = try bounded.peer()
        try next.write(ZMTP.frame([3]))
        let peers = try (0..<2).map { _ in try #require(try bounded.receive(1)) }
        #expect(peers.contains(disconnected) && peers[0] != peers[1])
        for peer in peers { #expect(bounded.socket.mayReach(peer, bytes: 1) == (peer != disconnected)) }
    }
}
