import Testing

@testable import Bus

@Suite("Hazard: a message is torn when its connection ends")
struct TornMessageTests {
    @Test("a subscriber gets both frames of what was there before its publisher went")
    func whole() throws {
        #expect(try Self.framesAfterTheEnd(options: .defaults(for: .sub)) == [[1], [2]])
    }

    @Test("with `immediate` libzmq lets go of the second frame, and of the process")
    func withImmediate() async {
        await #expect(processExitsWith: .failure) {
            var options = SocketOptions.defaults(for: .sub)
            options.immediate = true
            // Whether it is libzmq that ends the process or the loss that does depends on who notices first.
            guard try TornMessageTests.framesAfterTheEnd(options: options) == [[1], [2]] else { return }
            preconditionFailure("the message was torn")
        }
    }

    /// What a subscriber receives of one message that libzmq has begun to hand over when the publisher goes.
    private static func framesAfterTheEnd(options: SocketOptions) throws -> [[UInt8]] {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let publisher = try Socket(.xpub, context: Fixture.context)
        try publisher.bind(endpoint)
        let subscriber = try Socket(.sub, context: Fixture.context, options: options)
        let monitor = try subscriber.monitor()
        try subscriber.subscribe(prefix: [1])
        try subscriber.connect(endpoint)
        #expect(try publisher.next(using: subscriber, within: .seconds(5)) == [[1, 1]])
        #expect(try publisher.send(topic: [1], payload: [2]) == .sent)
        try awaitThat { subscriber.events()?.contains(.readable) == true }
        publisher.close()
        try awaitThat { try monitor.next()?.event == .disconnected }
        // Libzmq hears of the end of the connection while it is asked.
        for _ in 0..<100 { _ = subscriber.events() }
        var frames = Frames()
        guard try subscriber.receive(into: &frames) else { return [] }
        return (0..<frames.count).map { frames.array(at: $0) }
    }
}
