import Bus
import Glibc
import RawPeers
import Testing

@Suite("Hazard: a server that breaks the protocol", .timeLimit(.minutes(1)))
struct BrokenProtocolTests {
    /// Many times the longest wait before a reconnect.
    private static let wait = Duration.seconds(2)

    @Test("a client connects again after its connection has ended, and never after a frame that is too long")
    func reconnects() throws {
        #expect(try Self.eventsAfter([]).contains { Self.isAttempt($0) })
        let tooLong: [UInt8] = [2, 0, 0, 1, 0, 0, 0, 0, 0]
        let events = try Self.eventsAfter(tooLong)
        #expect(events.first == .disconnected)
        #expect(!events.contains { Self.isAttempt($0) })
    }

    private static func isAttempt(_ event: ConnectionEvent) -> Bool {
        switch event {
        case .connectRetried, .connectDelayed, .connected: true
        case .handshakeSucceeded, .handshakeFailed, .disconnected, .listening, .bindFailed, .accepted,
            .acceptFailed, .closed, .closeFailed, .stopped:
            false
        }
    }

    /// The events of a client, from its disconnection on, whose server writes some bytes and disconnects.
    private static func eventsAfter(_ bytes: [UInt8]) throws -> [ConnectionEvent] {
        let loop = try Loop(name: "monitor", context: Fixture.context)
        let (listener, endpoint) = try RawServer.listen()
        defer { close(listener) }
        let dealer = try Socket(.dealer, context: Fixture.context)
        var events: [ConnectionEvent] = []
        try dealer.monitor().onEvent(on: loop) { event, _ in
            guard event == .disconnected || !events.isEmpty else { return }
            if events.isEmpty { loop.schedule(after: wait) { loop.stop() } }
            events.append(event)
        }
        try dealer.connect(endpoint)
        loop.register(fileDescriptor: listener) {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            let all = ZMTP.greeting + ZMTP.ready("ROUTER") + bytes
            _ = send(connection, all, all.count, Int32(MSG_NOSIGNAL))
            // What the client has written is read, so that its system is not reset before it has read.
            loop.schedule(after: .milliseconds(200)) { close(connection) }
        }
        loop.schedule(after: .seconds(20)) { loop.stop() }
        loop.run()
        return events
    }
}
