import Bus
import TestSupport
import Testing

/// Each runs in a process of its own, whose memory and descriptors no other test uses.
///
/// A message's block is above 100 bytes here, so one lost in ten is more than the limit.
@Suite(
    "Memory and descriptors stay flat", .serialized, .timeLimit(.minutes(1)),
    .enabled(if: !Sanitizer.isPresent, "\(Sanitizer.memoryIsItsOwn)"))
struct FlatnessTests {
    @Test("over a million messages from PUSH to PULL")
    func pushPull() async {
        await #expect(processExitsWith: .success) {
            let (pull, push) = try Fixture.pair(.pull, .push)
            let bytes = [UInt8](repeating: 7, count: 100)
            let played = try Flatness.expect(warmUp: 100_000, rounds: 1_000_000) { count in
                for _ in 0..<count {
                    var message = Message(bytes)
                    guard try push.send(&message) == .sent else { throw NothingReceived() }
                }
                for _ in 0..<count { _ = try pull.nextFrame() }
            }
            #expect(pull.counters.receivedMessages == UInt64(played))
        }
    }

    @Test("over a million messages from DEALER to ROUTER and back")
    func routerDealer() async {
        await #expect(processExitsWith: .success) {
            let (router, dealer) = try Fixture.pair(.router, .dealer)
            let bytes = [UInt8](repeating: 7, count: 100)
            var frames = Frames()
            let played = try Flatness.expect(warmUp: 50_000, rounds: 500_000) { count in
                for _ in 0..<count {
                    guard try dealer.send(bytes) == .sent else { throw NothingReceived() }
                }
                for _ in 0..<count {
                    guard try router.receive(into: &frames), let peer = frames.routingID(at: 0),
                        try router.send(to: peer, payload: bytes) == .sent
                    else { throw NothingReceived() }
                }
                for _ in 0..<count {
                    guard try dealer.receive(into: &frames) else { throw NothingReceived() }
                }
            }
            #expect(router.counters.receivedMessages == UInt64(played))
            #expect(dealer.counters.receivedMessages == UInt64(played))
        }
    }

    @Test("over ten thousand clients that connect, say something and go")
    func connections() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
            let router = try Socket(.router, context: Fixture.context)
            try router.bind(endpoint)
            let before = try ProcessUse.descriptorCount()
            try Flatness.expect(warmUp: 1_000, rounds: 10_000, batch: 100) { count in
                for _ in 0..<count {
                    let dealer = try Socket(.dealer, context: Fixture.context)
                    try dealer.connect(endpoint)
                    guard try dealer.sendWaiting([[1]]) == .sent else { throw NothingReceived() }
                    _ = try router.nextFromPeer()
                    dealer.close()
                }
                // On a busy machine clients come faster than libzmq lets go of those that went.
                try Flatness.expectDescriptors(atMost: before, using: router)
            }
            router.close()
        }
    }

    @Test("over ten thousand connections of one socket that connects and disconnects")
    func reconnections() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
            let router = try Socket(.router, context: Fixture.context)
            let monitor = try router.monitor(.disconnects)
            try router.bind(endpoint)
            let dealer = try Socket(.dealer, context: Fixture.context)
            let before = try ProcessUse.descriptorCount()
            try Flatness.expect(warmUp: 1_000, rounds: 10_000) { count in
                for _ in 0..<count {
                    try dealer.connect(endpoint)
                    guard try dealer.sendWaiting([[1]]) == .sent else { throw NothingReceived() }
                    _ = try router.nextFromPeer()
                    try dealer.disconnect(endpoint)
                    try Flatness.awaitEnd(of: dealer, at: monitor)
                }
            }
            try Flatness.expectDescriptors(atMost: before, using: router)
            dealer.close()
            router.close()
        }
    }
}

/// What the tests of flatness measure.
private enum Flatness {
    /// Far above what the allocators keep, far below what a small leak a round adds up to.
    private static let bytesAtMost = 8 << 20

    /// Descriptors that the language's runtime opens when it first needs them, far fewer than a leak would.
    private static let descriptorsOfOthers = 10

    /// Expects that memory is the same after many rounds as it was after some, at the third time at the
    /// latest.
    ///
    /// Where the machine stands still more waits at a time than ever before, which takes memory once; a leak
    /// does each time.
    ///
    /// - Parameter batch: Rounds at a time, far fewer than a socket queues messages.
    /// - Returns: All rounds, those of the warm-up and of further times among them.
    @discardableResult
    static func expect(
        warmUp: Int, rounds: Int, batch: Int = 1_000, sourceLocation: SourceLocation = #_sourceLocation,
        _ play: (_ count: Int) throws -> Void
    ) throws -> Int {
        for _ in 0..<warmUp / batch { try play(batch) }
        var (played, growth) = (warmUp, Int.max)
        for _ in 0..<3 where growth > bytesAtMost {
            let before = try ProcessUse.residentBytes()
            for _ in 0..<rounds / batch { try play(batch) }
            growth = try ProcessUse.residentBytes() - before
            played += rounds
        }
        #expect(growth <= bytesAtMost, "it grew by \(growth) bytes", sourceLocation: sourceLocation)
        return played
    }

    /// Waits until a monitored socket has seen the other one's connection end.
    ///
    /// The other one has to take part: libzmq ends a connection only while its socket is being used.
    static func awaitEnd(of socket: Socket, at monitor: Monitor) throws {
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(5)
        var frames = Frames()
        while clock.now < deadline {
            guard try !socket.receive(into: &frames) else { continue }
            if try monitor.next()?.event == .disconnected { return }
        }
        throw NothingReceived()
    }

    /// Expects that hardly more descriptors are open than before, as soon as libzmq has closed the last ones.
    ///
    /// - Parameter socket: Takes part in the end of its connections, as a socket does only while it is used.
    static func expectDescriptors(
        atMost before: Int, using socket: Socket, sourceLocation: SourceLocation = #_sourceLocation
    ) throws {
        var frames = Frames()
        let clock = ContinuousClock()
        let deadline = clock.now + .seconds(5)
        var count = try ProcessUse.descriptorCount()
        let limit = before + descriptorsOfOthers
        while count > limit, clock.now < deadline {
            _ = try socket.receive(into: &frames)
            count = try ProcessUse.descriptorCount()
        }
        #expect(count <= limit, "\(count) where there were \(before)", sourceLocation: sourceLocation)
    }
}
