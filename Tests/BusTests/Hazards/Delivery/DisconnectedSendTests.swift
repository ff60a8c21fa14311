import Bus
import Testing

@Suite("Hazard: a send after a disconnect goes to the connection that is ending")
struct DisconnectedSendTests {
    @Test("a DEALER may report a lost message as sent after a disconnect")
    func sameSocket() throws {
        let peers = try Peers()
        var isLost = false
        for _ in 0..<200 where !isLost { isLost = try peers.losesAfterReconnect() }
        #expect(isLost)
    }

    @Test("a DEALER that queues for future connections loses no message after a disconnect")
    func queueing() throws {
        let peers = try Peers(immediate: false)
        for _ in 0..<200 { #expect(try !peers.losesAfterReconnect()) }
    }

    @Test("a new socket for the new connection loses no message")
    func newSocket() throws {
        let peers = try Peers()
        for _ in 0..<200 { #expect(try !peers.losesAfterReplacement()) }
    }
}

/// A ROUTER, and a DEALER that disconnects and connects again.
private final class Peers {
    private let directory: TemporaryDirectory
    private let endpoint: Endpoint
    private let router: Socket
    private let options: SocketOptions
    private var dealer: Socket
    private var round: UInt8 = 0

    init(immediate: Bool = true) throws {
        directory = try TemporaryDirectory()
        endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        router = try Socket(.router, context: Fixture.context)
        try router.bind(endpoint)
        var options = SocketOptions.defaults(for: .dealer)
        options.immediate = immediate
        self.options = options
        dealer = try Socket(.dealer, context: Fixture.context, options: options)
        try dealer.connect(endpoint)
        try exchange()
    }

    /// Disconnects, connects, sends; returns whether a message reported as sent was lost.
    func losesAfterReconnect() throws -> Bool {
        try dealer.disconnect(endpoint)
        try dealer.connect(endpoint)
        return try losesNext()
    }

    /// The same with another socket for the second connection.
    func losesAfterReplacement() throws -> Bool {
        dealer.close()
        dealer = try Socket(.dealer, context: Fixture.context, options: options)
        try dealer.connect(endpoint)
        return try losesNext()
    }

    private func losesNext() throws -> Bool {
        round += 1
        let message = [1, round]
        let isSent = try dealer.send(message) == .sent
        let came = try exchange()
        return isSent && !came.contains(message)
    }

    /// Sends a last message of this round until it arrives; returns the messages before it.
    @discardableResult
    private func exchange() throws -> [[UInt8]] {
        var came: [[UInt8]] = []
        try awaitThat {
            _ = try dealer.send([2, round])
            guard let payload = try router.next(using: dealer, within: .milliseconds(50))?.last else {
                return false
            }
            came.append(payload)
            return payload == [2, round]
        }
        return came
    }
}
