import Testing

@testable import Bus

@Suite("SocketOptions")
struct SocketOptionsTests {
    @Test("the default options of every kind are in effect in libzmq", arguments: SocketKind.allCases)
    func defaults(kind: SocketKind) throws {
        let options = SocketOptions.defaults(for: kind)
        let socket = try Socket(kind, context: Fixture.context, options: options)
        #expect(try socket.readOptions() == options)
    }

    @Test("other options are in effect in libzmq")
    func others() throws {
        var options = SocketOptions()
        options.linger = .milliseconds(500)
        options.sendHighWaterMark = 11
        options.receiveHighWaterMark = 12
        options.maxMessageBytes = 1 << 33
        options.handshakeInterval = .milliseconds(1_250)
        options.heartbeat = nil
        options.reconnect = .init(
            interval: .milliseconds(7), maximum: .milliseconds(77), timeout: .milliseconds(750))
        options.immediate = true
        options.routerMandatory = true
        options.tcpKeepAlive = nil
        options.sendTimeout = nil
        options.receiveTimeout = .zero
        let socket = try Socket(.router, context: Fixture.context, options: options)
        #expect(try socket.readOptions() == options)
    }

    @Test("a timeout with a fraction of a millisecond is rounded up")
    func rounding() throws {
        var options = SocketOptions()
        options.receiveTimeout = .microseconds(1)
        let socket = try Socket(.pull, context: Fixture.context, options: options)
        #expect(try socket.readOptions().receiveTimeout == .milliseconds(1))
    }

    @Test("the error for an option that libzmq refuses names its value")
    func refused() throws {
        var options = SocketOptions()
        options.sendHighWaterMark = -1
        let error = expectError(.invalidArgument) {
            try Socket(.push, context: Fixture.context, options: options)
        }
        #expect(error?.description.contains("send mark to -1") == true)
    }

    @Test("the first wait before a reconnect is random between 50 and 150 ms")
    func reconnect() {
        let intervals = (UInt64(1)...2_000).map { Self.interval(seed: $0) }
        #expect(intervals.min() == .milliseconds(50))
        #expect(intervals.max() == .milliseconds(150))
        #expect(Self.interval(seed: 7) == Self.interval(seed: 7))
    }

    private static func interval(seed: UInt64) -> Duration {
        var generator = SplitMix(state: seed)
        return SocketOptions.defaults(for: .dealer, using: &generator).reconnect.interval
    }

    @Test("a ROUTER is mandatory by default, and a SUB repeats all subscriptions when it reconnects")
    func kinds() {
        #expect(SocketOptions.defaults(for: .router).routerMandatory)
        #expect(SocketOptions.defaults(for: .sub).sendHighWaterMark == 0)
    }
}
