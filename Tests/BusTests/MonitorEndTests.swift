import Glibc
import Testing

@testable import Bus

/// libzmq's I/O thread waits for the reader of a monitor, without a limit even if the reader has gone.
@Suite("The end of a monitor", .timeLimit(.minutes(1)))
struct MonitorEndTests {
    @Test("a monitor with references ends with its loop, and the monitored socket still works")
    func loopShutDown() async {
        await #expect(processExitsWith: .success) {
            // A process that waits forever is killed.
            alarm(20)
            let loop = try Loop.start(name: "monitor", context: Fixture.context)
            let server = MonitoredServer(on: loop)
            try await server.open()
            await loop.shutdown()
            let directory = try TemporaryDirectory()
            let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
            try await server.bind(endpoint)
            let dealer = try Fixture.socket(.dealer, connectedTo: endpoint)
            #expect(try dealer.sendWaiting([[7]]) == .sent)
            #expect(try await server.next() == [7])
            #expect(await server.isMonitorOpen == false)
            dealer.close()
            await server.close()
            try Fixture.context.terminate()
        }
    }

    @Test("a full monitor without a reader can be closed, and every socket still works")
    func full() async {
        await #expect(processExitsWith: .success) {
            alarm(20)
            let directory = try TemporaryDirectory()
            let dealer = try Socket(.dealer, context: Fixture.context)
            let monitor = try Monitor(dealer, events: .attempts, unreadLimit: 2_000)
            // More failures than the two queues of the reports hold, which is 1,000 above the limit.
            for number in 0..<4_000 { try dealer.connect(.ipc(path: directory.path + "/\(number)")) }
            let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
            let pull = try Socket(.pull, context: Fixture.context)
            var options = SocketOptions.defaults(for: .push)
            options.sendTimeout = .seconds(10)
            let push = try Socket(.push, context: Fixture.context, options: options)
            try pull.bind(endpoint)
            try push.connect(endpoint)
            // libzmq's thread waits for the reader by now, or will while the socket below connects.
            monitor.close()
            #expect(try push.sendWaiting([[1]]) == .sent)
            #expect(try pull.next() == [[1]])
        }
    }
}

/// A ROUTER with a monitor that calls a handler and has a reference, as a client needs to close it.
private actor MonitoredServer {
    private let loop: Loop
    private var router: Socket?
    private var monitor: Monitor?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: Loop) {
        self.loop = loop
    }

    var isMonitorOpen: Bool { monitor.map { (try? $0.next()) != nil } ?? false }

    func open() throws {
        let router = try Socket(.router, context: loop.context)
        let monitor = try router.monitor()
        monitor.onEvent(on: loop) { _, _ in }
        self.router = router
        self.monitor = monitor
    }

    func bind(_ endpoint: Endpoint) throws {
        try router?.bind(endpoint)
    }

    /// The payload of the next message.
    func next() throws -> [UInt8]? {
        try router?.nextFromPeer().frames.first
    }

    func close() {
        router?.close()
    }
}
