import Bus
import Glibc
import RawPeers
import Testing

/// libzmq ends a process here, so each test runs in its own process.
@Suite("Hazard: a stopped connection ends the process when it breaks", .timeLimit(.minutes(1)))
struct StoppedInputTests {
    @Test("without a mark, 20,000 messages of a closed peer are received, and others are served")
    func unstopped() async {
        await #expect(processExitsWith: .success) {
            let (router, endpoint) = try Fixture.bound(.router)
            let honest = try Fixture.socket(.dealer, connectedTo: endpoint)
            try Self.flood(endpoint)
            #expect(try honest.sendWaiting([[1]]) == .sent)
            var count = 0
            while count <= Self.messages, try router.next() != nil { count += 1 }
            #expect(count == Self.messages + 1)
        }
    }

    @Test("with a mark, libzmq 4.3.4 ends the process when a stopped connection breaks")
    func stopped() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            var options = SocketOptions.defaults(for: .router)
            options.receiveHighWaterMark = 10
            options.heartbeat = .init(
                interval: .milliseconds(500), timeout: .milliseconds(1_500), timeToLive: .milliseconds(1_500))
            let (router, endpoint) = try Fixture.bound(.router, options: options)
            try Self.flood(endpoint)
            // The next heartbeat is written to the broken connection.
            try awaitThat { router.isClosed }
        }
    }

    @Test("while a closed socket lingers, libzmq 4.3.4 ends the process when a stopped connection breaks")
    func lingering() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            var options = SocketOptions.defaults(for: .dealer)
            options.linger = .seconds(10)
            options.heartbeat = .init(
                interval: .milliseconds(500), timeout: .seconds(5), timeToLive: .seconds(5))
            let (dealer, endpoint) = try Fixture.bound(.dealer, options: options)
            let peer = try RawConnection(to: endpoint)
            try peer.shakeHands(as: "DEALER")
            // More than the system accepts for a peer that does not read.
            for _ in 0..<200 {
                #expect(try dealer.sendWaiting([[UInt8](repeating: 0, count: 60_000)]) == .sent)
            }
            dealer.close()
            // Its connection takes no message any more once the closed socket has ended its half.
            for _ in 0..<50 {
                try peer.write(ZMTP.frame([7]))
                poll(nil, 0, 10)
            }
            close(peer.descriptor)
            try awaitThat { !dealer.isClosed }
        }
    }

    private static let messages = 20_000

    /// Sends messages as fast as possible, and closes.
    private static func flood(_ endpoint: Endpoint) throws {
        let peer = try RawConnection(to: endpoint)
        try peer.shakeHands(as: "DEALER")
        try peer.write((0..<messages).flatMap { _ in ZMTP.frame([7]) })
    }
}
