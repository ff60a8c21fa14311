import Bus
import Testing

@Suite("Hazard: a subscriber that reconnects subscribes to less than before")
struct SubscriptionsAtReconnectTests {
    private static let subscriptions = 3_000

    @Test("3,000 subscriptions are all repeated to a new publisher at the endpoint")
    func all() throws {
        let received = try Self.receivedAfterReconnect(options: .defaults(for: .sub), timeout: .seconds(10))
        #expect(received == Self.subscriptions)
    }

    @Test("with libzmq's default send mark, subscriptions beyond 1,000 are lost")
    func withMark() throws {
        var options = SocketOptions.defaults(for: .sub)
        options.sendHighWaterMark = 1_000
        #expect(try Self.receivedAfterReconnect(options: options, timeout: .seconds(1)) < Self.subscriptions)
    }

    /// The number of subscriptions of one subscriber that reach the second publisher of an endpoint before a
    /// pause.
    private static func receivedAfterReconnect(options: SocketOptions, timeout: Duration) throws -> Int {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let sub = try Socket(.sub, context: Fixture.context, options: options)
        let first = try publisher(at: endpoint)
        try sub.connect(endpoint)
        for number in 0..<subscriptions { try sub.subscribe(prefix: "topic/\(number)/") }
        #expect(try first.next(using: sub) != nil)
        first.close()
        let second = try publisher(at: endpoint)
        var count = 0
        while count < subscriptions, try second.next(using: sub, within: timeout) != nil { count += 1 }
        return count
    }

    private static func publisher(at endpoint: Endpoint) throws -> Socket {
        let xpub = try Fixture.socket(.xpub, boundTo: endpoint)
        return xpub
    }
}
