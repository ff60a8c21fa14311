import Bus
import FleetProtocol
import FleetReplica
import Testing

@testable import FleetClient

@Suite("State of the connection", .timeLimit(.minutes(1)))
struct ConnectionTests {
    @Test("the connection's state follows the socket's events")
    func events() throws {
        var tracker = ConnectionTracker(endpoint: try Samples.endpoint())
        #expect(tracker.state == .connecting)
        #expect(tracker.observe(.connectDelayed) == nil)
        let failed = tracker.observe(.connectRetried(.milliseconds(100)))
        #expect(failed == .failed("no answer at ipc:///tmp/controller.sock; trying again"))
        #expect(tracker.observe(.connectRetried(.milliseconds(200))) == nil)
        #expect(tracker.observe(.connected) == nil)
        #expect(tracker.observe(.handshakeSucceeded) == .established)
        #expect(tracker.observe(.disconnected) == .connecting)
        #expect(tracker.observe(.handshakeFailed(.protocolViolation(code: 1))) != nil)
    }

    @Test("connection states show a controller that is missing, connected, lost and back")
    func watching() async throws {
        try await Bench.run { bench in
            var controllers: [ScriptedController] = []
            for await state in await bench.client.connectionStates() {
                switch (controllers.count, state) {
                case (0, .failed), (1, .failed): controllers.append(try await bench.startController())
                case (1, .established): await controllers[0].stop()
                case (2, .established):
                    #expect(await bench.client.connection == .established)
                    await controllers[1].stop()
                    return
                case (_, .connecting), (_, .failed), (_, .established): continue
                }
            }
            Issue.record("the client was closed first")
        }
    }

    @Test("all replies that a controller sent before it ended are received")
    func lastMessage() async throws {
        let questions = 400
        try await Bench.connected { bench, controller in
            try await withThrowingTaskGroup { group in
                for _ in 0..<questions {
                    group.addTask {
                        try await bench.client.inject(
                            .offline, into: [Samples.device], for: .seconds(1), timeout: .seconds(20))
                    }
                }
                var asked: [ScriptedController.Asked] = []
                for await request in controller.requests {
                    asked.append(request)
                    if asked.count == questions { break }
                }
                try await controller.answerAndStop(asked, .injected(devices: 1))
                try await group.waitForAll()
            }
        }
    }

    @Test("closing the client ends the sequence of states")
    func closing() async throws {
        try await Bench.run { bench in
            let states = await bench.client.connectionStates()
            await bench.client.close()
            var seen = 0
            for await _ in states { seen += 1 }
            #expect(seen >= 1)
        }
    }
}
