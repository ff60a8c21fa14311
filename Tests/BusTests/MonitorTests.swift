import Bus
import Glibc
import Testing

@Suite("Monitor", .timeLimit(.minutes(1)))
struct MonitorTests {
    @Test("both ends of a connection report its start, its handshake and its end")
    func connection() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let loop = try Loop(name: "monitor", context: Fixture.context)
        let router = try Socket(.router, context: Fixture.context)
        let dealer = try Socket(.dealer, context: Fixture.context)
        var serverEvents: [ConnectionEvent] = []
        var clientEvents: [ConnectionEvent] = []
        try router.monitor().onEvent(on: loop) { event, _ in
            serverEvents.append(event)
            if event == .disconnected { loop.stop() }
        }
        try dealer.monitor([.connects, .handshakes]).onEvent(on: loop) { event, address in
            clientEvents.append(event)
            #expect(address == (event == .stopped ? "" : endpoint.description))
            if event == .handshakeSucceeded { dealer.close() }
        }
        try router.bind(endpoint)
        try dealer.connect(endpoint)
        loop.schedule(after: .seconds(20)) { loop.stop() }
        loop.run()
        #expect(serverEvents == [.listening, .accepted, .handshakeSucceeded, .disconnected])
        #expect(clientEvents.filter { $0 != .stopped } == [.connected, .handshakeSucceeded])
    }

    @Test("a failed bind is reported with the system's error number")
    func bindFailed() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/none/socket")
        let router = try Socket(.router, context: Fixture.context)
        let monitor = try router.monitor(.binds)
        #expect(throws: BusError.self) { try router.bind(endpoint) }
        let report = try #require(try monitor.next())
        #expect(report.event == .bindFailed(errno: ENOENT))
        #expect(report.endpoint == endpoint.ipcPath)
        #expect(try monitor.next() == nil)
    }

    @Test("a failed connection is retried after the reported wait")
    func retried() throws {
        let directory = try TemporaryDirectory()
        let loop = try Loop(name: "monitor", context: Fixture.context)
        var options = SocketOptions.defaults(for: .dealer)
        options.reconnect = .init(interval: .milliseconds(1), maximum: .zero)
        let dealer = try Socket(.dealer, context: Fixture.context, options: options)
        var waits: [Duration] = []
        try dealer.monitor(.attempts).onEvent(on: loop) { event, _ in
            if case .connectRetried(let wait) = event { waits.append(wait) }
            if waits.count >= 3 { loop.stop() }
        }
        try dealer.connect(.ipc(path: directory.path + "/socket"))
        loop.schedule(after: .seconds(20)) { loop.stop() }
        loop.run()
        #expect(waits.count >= 3)
        #expect(waits.allSatisfy { $0 >= .milliseconds(1) && $0 < .milliseconds(3) })
    }

    @Test("closing a socket stops its monitor, which its loop releases")
    func stopped() throws {
        let loop = try Loop(name: "monitor", context: Fixture.context)
        let pair = try Socket(.pair, context: Fixture.context)
        var events: [ConnectionEvent] = []
        weak var witness: Monitor?
        do {
            let monitor = try pair.monitor(.binds)
            witness = monitor
            monitor.onEvent(on: loop) { event, _ in
                events.append(event)
                loop.stop()
            }
        }
        #expect(witness != nil)
        loop.schedule(after: .milliseconds(1)) { pair.close() }
        loop.schedule(after: .seconds(20)) { loop.stop() }
        loop.run()
        #expect(events == [.stopped])
        #expect(witness == nil)
    }

    @Test("a monitor can be closed or released after its loop has ended", arguments: [true, false])
    func outlivesLoop(isClosed: Bool) throws {
        let loop = try Loop(name: "monitor", context: Fixture.context)
        let socket = try Socket(.router, context: Fixture.context)
        var monitor: Monitor? = try socket.monitor()
        weak let witness = monitor
        monitor?.onEvent(on: loop) { _, _ in }
        loop.stop()
        loop.run()
        if isClosed { monitor?.close() }
        monitor = nil
        #expect(witness == nil)
        try socket.bind(.tcp(host: "127.0.0.1", port: 0))
    }

    @Test("closing a monitor that a second one replaced does not end the second one's events")
    func replaced() throws {
        let socket = try Socket(.router, context: Fixture.context)
        let first = try socket.monitor()
        let second = try socket.monitor()
        first.close()
        try socket.bind(.tcp(host: "127.0.0.1", port: 0))
        #expect(try second.next()?.event == .listening)
        second.close()
        expectError(.socketClosed) { try second.next() }
    }
}
