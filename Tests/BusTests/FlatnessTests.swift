import Bus
import TestSupport
import Testing

/// Each test runs in its own process, so that other tests do not affect memory and descriptors.
///
/// A message's block is above 100 bytes here, so a leak of one in ten exceeds the limit.
@Suite(
    "Constant memory and descriptors", .serialized, .timeLimit(.minutes(1)),
    .enabled(if: !Sanitizer.isPresent, "\(Sanitizer.memoryIsItsOwn)"))
struct FlatnessTests {
    @Test("memory is constant over a million messages from PUSH to PULL")
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

    @Test("memory is constant over a million messages from DEALER to ROUTER and back")
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

    @Test("descriptors are constant over ten thousand clients that connect, send and disconnect")
    func connections() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
            let router = try Fixture.socket(.router, boundTo: endpoint)
            let before = try ProcessUse.descriptorCount()
            try Flatness.expect(warmUp: 1_000, rounds: 10_000, batch: 100) { count in
                for _ in 0..<count {
                    let dealer = try Fixture.socket(.dealer, connectedTo: endpoint)
                    guard try dealer.sendWaiting([[1]]) == .sent else { throw NothingReceived() }
                    _ = try router.nextFromPeer()
                    dealer.close()
                }
                // On a busy machine clients connect faster than libzmq releases closed connections.
                try Flatness.expectDescriptors(atMost: before, using: router)
            }
            router.close()
        }
    }

    @Test("descriptors are constant over ten thousand connections of one socket")
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

/// Measurements for the tests of constant memory.
private enum Flatness {
    /// Far above what allocators retain, far below the sum of a small leak per round.
    private static let bytesAtMost = 8 << 20

    /// Descriptors that the language's runtime opens on first use, far fewer than a leak would.
    private static let descriptorsOfOthers = 10

    /// Expects that memory is the same after many rounds as after some, at the third attempt at the latest.
    ///
    /// If the machine stalls, more messages wait at a time than ever before, which takes memory once; a leak
    /// takes it each time.
    ///
    /// - Parameter batch: Rounds at a time, far fewer than a socket queues messages.
    /// - Returns: All rounds, including those of the warm-up and of further attempts.
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

    /// Waits until a monitored socket has reported the end of the other one's connection.
    ///
    /// The other one must be in use: libzmq ends a connection only while its socket is being used.
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

    /// Expects that hardly more descriptors are open than before, once libzmq has closed the last ones.
    ///
    /// - Parameter socket: Used during the wait, because a socket ends its connections only while it is used.
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
        #expect(count <= limit, "\(count), and \(before) before", sourceLocation: sourceLocation)
    }
}
