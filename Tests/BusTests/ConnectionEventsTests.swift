import Bus
import Testing

@Suite("Connection events", .timeLimit(.minutes(1)))
struct ConnectionEventsTests {
    @Test("a task receives a connection's events from its start to its end, and then the end")
    func connection() async throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        try await Loop.withThread(name: "events") { loop in
            let peers = MonitoredPeers(on: loop)
            let events = try await peers.watch([.connects, .handshakes, .binds])
            try await peers.bind(endpoint)
            try await peers.connect(endpoint)
            var reports: [ConnectionReport] = []
            for await report in events {
                reports.append(report)
                if report.event == .handshakeSucceeded { await peers.close() }
            }
            #expect(reports.map(\.event) == [.listening, .accepted, .handshakeSucceeded, .stopped])
            #expect(reports.map(\.number) == [1, 2, 3, 4])
            #expect(reports.first?.endpoint == endpoint.description)
        }
    }

    @Test("the oldest of too many unread events are dropped, and the numbers show how many")
    func full() async throws {
        var reports: [ConnectionReport] = []
        for await report in try Self.eventsOfFiveBinds(limit: 2) { reports.append(report) }
        #expect(reports.map(\.event) == [.listening, .listening])
        #expect(reports.map(\.number) == [4, 5])
    }

    @Test("a cancelled reader closes the monitor")
    func cancelled() async throws {
        try await Loop.withThread(name: "events") { loop in
            let peers = MonitoredPeers(on: loop)
            let events = try await peers.watch(.all)
            #expect(await peers.isMonitorOpen)
            let reader = Task { await events.reduce(0) { count, _ in count + 1 } }
            reader.cancel()
            #expect(await reader.value == 0)
            #expect(await !peers.isMonitorOpen)
            await peers.close()
        }
    }

    @Test("a sequence of events without references closes the monitor")
    func dropped() async throws {
        try await Loop.withThread(name: "events") { loop in
            let peers = MonitoredPeers(on: loop)
            _ = try await peers.watch(.all)
            #expect(await !peers.isMonitorOpen)
            await peers.close()
        }
    }

    @Test("the end of the loop ends the events")
    func loopEnded() async throws {
        let loop = try Loop.start(name: "events", context: Fixture.context)
        let peers = MonitoredPeers(on: loop)
        let events = try await peers.watch(.binds)
        try await peers.bind(.tcp(host: "127.0.0.1", port: 0))
        var reports = events.makeAsyncIterator()
        #expect(await reports.next()?.event == .listening)
        await loop.shutdown()
        #expect(await reports.next() == nil)
        await peers.close()
    }

    /// The unread events of a socket that was bound five times, on a loop that has ended.
    private static func eventsOfFiveBinds(limit: Int) throws -> ConnectionEvents {
        let loop = try Loop(name: "events", context: Fixture.context)
        let socket = try Socket(.router, context: Fixture.context)
        let events = try socket.monitor(.binds).events(on: loop, limit: limit)
        for _ in 0..<5 { try socket.bind(.tcp(host: "127.0.0.1", port: 0)) }
        // A turn reads what has arrived before it does its work.
        loop.perform { loop.stop() }
        loop.run()
        return events
    }
}

/// A ROUTER with a monitor, and a DEALER that connects to it, on a loop's thread.
private actor MonitoredPeers {
    private let loop: Loop
    private var router: Socket?
    private var dealer: Socket?
    private var monitor: Monitor?

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    init(on loop: Loop) {
        self.loop = loop
    }

    /// Whether the monitor is still open.
    var isMonitorOpen: Bool {
        do throws(BusError) {
            _ = try monitor?.next()
            return monitor != nil
        } catch {
            return error.code != .socketClosed
        }
    }

    func watch(_ events: ConnectionEventMask) throws -> ConnectionEvents {
        let router = try Socket(.router, context: loop.context)
        let monitor = try router.monitor(events)
        self.router = router
        self.monitor = monitor
        return monitor.events(on: loop)
    }

    func bind(_ endpoint: Endpoint) throws {
        try router?.bind(endpoint)
    }

    func connect(_ endpoint: Endpoint) throws {
        let dealer = try Socket(.dealer, context: loop.context)
        try dealer.connect(endpoint)
        self.dealer = dealer
    }

    func close() {
        dealer?.close()
        router?.close()
    }
}
