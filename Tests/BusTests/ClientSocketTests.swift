import Bus
import Glibc
import RawPeers
import Testing

@Suite("A socket that is replaced where it would not connect again", .timeLimit(.minutes(1)))
struct ClientSocketTests {
    /// A frame longer than any that a client accepts.
    private static let tooLong: [UInt8] = [2, 0, 0, 1, 0, 0, 0, 0, 0]

    @Test("another socket connects after the server broke the protocol")
    func broken() throws {
        let (isReplaced, connections) = try Self.connections(first: Self.tooLong)
        #expect(isReplaced)
        #expect(connections == 2)
    }

    @Test("the same socket connects again after its connection was lost")
    func lost() throws {
        let (isReplaced, connections) = try Self.connections(first: [])
        #expect(!isReplaced)
        #expect(connections == 2)
    }

    @Test("a socket whose key was denied connects once the server admits the key")
    func denied() throws {
        try CurveSite.run(handler: .denying) { site in
            let keys = try CurveKeyPair.generate()
            let loop = try Loop(name: "client", context: site.context)
            var options = SocketOptions.defaults(for: .dealer)
            options.secure(.client(server: site.keys.publicKey, keys: keys))
            let client = try ClientSocket(.dealer, to: try site.endpoint, options: options, on: loop)
            var denials = 0
            var isConnected = false
            try client.connect { _ in
            } observe: { event in
                if case .handshakeFailed(.denied) = event { denials += 1 }
                if denials == 2 { site.admit(keys.publicKey) }
                isConnected = event == .handshakeSucceeded
                if isConnected { loop.stop() }
            }
            loop.schedule(after: .seconds(20)) { loop.stop() }
            loop.run()
            client.close()
            #expect(isConnected)
            #expect(denials == 2)
        }
    }

    /// Connects to a server that writes some bytes over the first connection and disconnects, and is silent
    /// over the next.
    ///
    /// - Returns: Whether the socket is another one then, and the number of completed handshakes.
    private static func connections(first bytes: [UInt8]) throws -> (isReplaced: Bool, connections: Int) {
        let loop = try Loop(name: "client", context: Fixture.context)
        let (listener, endpoint) = try RawServer.listen()
        defer { close(listener) }
        let client = try ClientSocket(.dealer, to: endpoint, options: .defaults(for: .dealer), on: loop)
        defer { client.close() }
        let first = client.socket
        var connections = 0
        try client.connect { _ in
        } observe: { event in
            if event == .handshakeSucceeded { connections += 1 }
            // A third connection would follow within this time.
            if connections == 2 { loop.schedule(after: .seconds(1)) { loop.stop() } }
        }
        var accepted = 0
        loop.register(fileDescriptor: listener) {
            let connection = accept(listener, nil, nil)
            guard connection >= 0 else { return }
            accepted += 1
            let isFirst = accepted == 1
            let all = ZMTP.greeting + ZMTP.ready("ROUTER") + (isFirst ? bytes : [])
            _ = send(connection, all, all.count, Int32(MSG_NOSIGNAL))
            // What the client has written is read, so that its system is not reset before it has read.
            loop.schedule(after: isFirst ? .milliseconds(200) : .seconds(20)) { close(connection) }
        }
        loop.schedule(after: .seconds(20)) { loop.stop() }
        loop.run()
        return (client.socket !== first, connections)
    }
}
