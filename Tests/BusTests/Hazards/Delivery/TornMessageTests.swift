import Testing

@testable import Bus

@Suite("Hazard: a message is torn when its connection ends")
struct TornMessageTests {
    @Test("a subscriber gets both frames of a message that arrived before its publisher closed")
    func whole() throws {
        #expect(try Self.framesAfterTheEnd(options: .defaults(for: .sub)) == [[1], [2]])
    }

    @Test("with `immediate` libzmq loses the second frame, or ends the process")
    func withImmediate() async {
        await #expect(processExitsWith: .failure) {
            var options = SocketOptions.defaults(for: .sub)
            options.immediate = true
            // Whether libzmq ends the process or the lost frame does depends on the order of detection.
            guard try TornMessageTests.framesAfterTheEnd(options: options) == [[1], [2]] else { return }
            preconditionFailure("the message was torn")
        }
    }

    /// The frames that a subscriber receives of one message that libzmq is delivering when the publisher
    /// closes.
    private static func framesAfterTheEnd(options: SocketOptions) throws -> [[UInt8]] {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let publisher = try Fixture.socket(.xpub, boundTo: endpoint)
        let subscriber = try Socket(.sub, context: Fixture.context, options: options)
        let monitor = try subscriber.monitor()
        try subscriber.subscribe(prefix: [1])
        try subscriber.connect(endpoint)
        #expect(try publisher.next(using: subscriber, within: .seconds(5)) == [[1, 1]])
        #expect(try publisher.send(topic: [1], payload: [2]) == .sent)
        try awaitThat { subscriber.events()?.contains(.readable) == true }
        publisher.close()
        try awaitThat { try monitor.next()?.event == .disconnected }
        // Libzmq detects the end of the connection during the receive.
        for _ in 0..<100 { _ = subscriber.events() }
        var frames = Frames()
        guard try subscriber.receive(into: &frames) else { return [] }
        return (0..<frames.count).map { frames.array(at: $0) }
    }
}
