import Bus
import Testing

@Suite("Limits and lifetime of sockets")
struct SocketLimitTests {
    @Test("a message of 8 frames is received, and one of 9 or more is dropped and counted")
    func frameLimit() throws {
        let (one, other) = try Fixture.pair(.pair, .pair)
        let eight = (UInt8(0)..<8).map { [$0] }
        #expect(try one.send(eight) == .sent)
        #expect(try one.send(eight + [[8]]) == .sent)
        #expect(try one.send([[UInt8]](repeating: [1], count: 1_000)) == .sent)
        #expect(try one.send([[42]]) == .sent)
        #expect(try other.next() == eight)
        #expect(try other.next() == [[42]])
        #expect(other.counters.oversizeMessages == 2)
        #expect(other.counters.receivedMessages == 2)
    }

    @Test("a burst of oversize messages returns to the caller, and delivers none of them")
    func oversizeBurst() throws {
        let (one, other) = try Fixture.pair(.pair, .pair)
        for _ in 0..<513 { #expect(try one.send([[UInt8]](repeating: [], count: 9)) == .sent) }
        #expect(try one.send([1]) == .sent)
        var frames = Frames()
        #expect(try !other.receive(into: &frames))
        #expect(other.counters.oversizeMessages == 512)
        #expect(try other.receive(into: &frames))
        #expect(frames[0] == [1])
    }

    @Test("reused frames contain nothing of a longer earlier message")
    func framesReused() throws {
        let (one, other) = try Fixture.pair(.pair, .pair)
        var frames = Frames()
        #expect(try one.send([[1], [UInt8](repeating: 2, count: 5_000), [3]]) == .sent)
        #expect(try one.send([4]) == .sent)
        #expect(try other.receive(into: &frames))
        #expect(frames.count == 3)
        #expect(frames.byteCount(at: 1) == 5_000)
        #expect(try other.receive(into: &frames))
        #expect(frames.count == 1)
        #expect(frames.withBytes(at: 0) { $0.unsafeLoad(fromByteOffset: 0, as: UInt8.self) } == 4)
        #expect(try !other.receive(into: &frames))
        #expect(frames.count == 0)
    }

    @Test("a full peer refuses a whole message, and accepts the next once there is room")
    func wouldBlock() throws {
        var options = SocketOptions.defaults(for: .pair)
        options.sendHighWaterMark = 5
        options.receiveHighWaterMark = 5
        let (one, other) = try Fixture.pair(.pair, .pair, boundOptions: options, connectedOptions: options)
        var sent: UInt8 = 0
        while try one.send([[sent], [0], [0]]) == .sent { sent += 1 }
        #expect(sent == 10)
        #expect(one.counters.wouldBlockMessages == 1)
        for number in 0..<sent { #expect(try other.next() == [[number], [0], [0]]) }
        var frames = Frames()
        #expect(try !other.receive(into: &frames))
        #expect(try one.sendWaiting([[9]]) == .sent)
        #expect(try other.next() == [[9]])
    }

    @Test("a mandatory ROUTER distinguishes a full peer from an unknown one")
    func routerWouldBlock() throws {
        var options = SocketOptions.defaults(for: .router)
        options.sendHighWaterMark = 1
        var dealerOptions = SocketOptions.defaults(for: .dealer)
        dealerOptions.receiveHighWaterMark = 1
        let (router, dealer) = try Fixture.pair(
            .router, .dealer, boundOptions: options, connectedOptions: dealerOptions)
        #expect(try dealer.send([0]) == .sent)
        let (peer, _) = try router.nextFromPeer()
        var results: [SendResult] = []
        for _ in 0..<3 { results.append(try router.send(to: peer, payload: [1])) }
        #expect(results == [.sent, .sent, .wouldBlock])
    }

    @Test("a wait ends at its timeout")
    func timeouts() throws {
        var options = SocketOptions.defaults(for: .pair)
        options.sendTimeout = .milliseconds(1)
        options.receiveTimeout = .milliseconds(1)
        let lonely = try Socket(.pair, context: Fixture.context, options: options)
        #expect(try lonely.next() == nil)
        #expect(try lonely.sendWaiting([[1]]) == .wouldBlock)
    }

    @Test("a closed socket throws, and closing it again does nothing")
    func closed() throws {
        let pair = try Socket(.pair, context: Fixture.context)
        pair.close()
        pair.close()
        #expect(pair.isClosed)
        let attempts = [
            { _ = try pair.send([1]) }, { try pair.bind(Fixture.inproc()) }, { _ = try pair.receive() },
        ]
        for attempt in attempts {
            expectError(.socketClosed) { try attempt() }
        }
    }

    @Test("an endpoint in use is refused, and free once it is unbound")
    func unbind() throws {
        let endpoint = try Fixture.inproc()
        let first = try Socket(.pair, context: Fixture.context)
        let second = try Socket(.pair, context: Fixture.context)
        try first.bind(endpoint)
        let error = expectError(.addressInUse) { try second.bind(endpoint) }
        #expect(error?.description.contains(endpoint.description) == true)
        try first.unbind(endpoint)
        try second.bind(endpoint)
    }

    @Test("a disconnected socket sends nothing")
    func disconnect() throws {
        let endpoint = try Fixture.inproc()
        let pull = try Socket(.pull, context: Fixture.context)
        let push = try Socket(.push, context: Fixture.context)
        try pull.bind(endpoint)
        try push.connect(endpoint)
        #expect(try push.send([1]) == .sent)
        #expect(try pull.next() == [[1]])
        try push.disconnect(endpoint)
        #expect(try push.send([2]) == .wouldBlock)
    }

    @Test("an ipc endpoint's file is removed when its socket is closed")
    func ipcFile() throws {
        let directory = try TemporaryDirectory()
        let pull = try Socket(.pull, context: Fixture.context)
        let push = try Socket(.push, context: Fixture.context)
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        try pull.bind(endpoint)
        #expect(directory.names == ["socket"])
        try push.connect(endpoint)
        #expect(try push.sendWaiting([[1]]) == .sent)
        #expect(try pull.next() == [[1]])
        pull.close()
        #expect(directory.names == [])
    }

    @Test("unbinding an ipc endpoint removes only its file")
    func ipcUnbind() throws {
        let directory = try TemporaryDirectory()
        let pull = try Fixture.socket(.pull, boundTo: .ipc(path: directory.path + "/one"))
        try pull.bind(.ipc(path: directory.path + "/other"))
        try pull.unbind(.ipc(path: directory.path + "/one"))
        #expect(directory.names == ["other"])
    }

    @Test("the error of a bind in a missing directory names the path")
    func missingDirectory() throws {
        let directory = try TemporaryDirectory()
        let pull = try Socket(.pull, context: Fixture.context)
        let endpoint = try Endpoint.ipc(path: directory.path + "/none/socket")
        let error = expectError(.notFound) { try pull.bind(endpoint) }
        #expect(error?.description.contains(directory.path) == true)
    }

    @Test("a terminated context makes no sockets, and terminating it again does nothing")
    func terminated() throws {
        let context = try Context()
        context.terminate()
        context.terminate()
        expectError(.contextTerminated) { try Socket(.pair, context: context) }
    }

    @Test("a context refuses counts below one", arguments: [(0, 1), (1, 0), (-1, 1)])
    func contextBounds(ioThreads: Int, maxSockets: Int) {
        expectError(.invalidArgument) {
            try Context(ioThreads: ioThreads, maxSockets: maxSockets)
        }
    }
}
