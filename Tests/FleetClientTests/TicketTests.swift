import FleetProtocol
import Synchronization
import Testing

@testable import FleetClient

@Suite("Stream tickets of a client", .timeLimit(.minutes(1)))
struct TicketTests {
    private static func publish(
        _ sequence: UInt64, isLast: Bool = false, by controller: ScriptedController
    ) async throws {
        let update = StreamUpdate(
            epoch: Epoch(1), sequence: StreamSequence(sequence), at: WallTime(unixMilliseconds: 1),
            body: .beat,
            isLast: isLast)
        let topic = StreamTopic(account: try Samples.account(), number: 1)
        try await controller.publish(update, topic: topic.bytes)
    }

    @Test("a new ticket is requested after 1 s without updates")
    func silence() async throws {
        try await Bench.connected { bench, controller in
            let updates = try await bench.client.updates(of: try Samples.account())
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            _ = await subscriptions.next()
            for number in UInt8(1)...3 {
                #expect(await subscriptions.next() == ScriptedController.ticket(number))
            }
            #expect(updates.dropped == 0)
        }
    }

    @Test("a new ticket is requested at once when the stream's session has ended, unseen by readers")
    func lastUpdate() async throws {
        try await Bench.connected { bench, controller in
            let updates = try await bench.client.updates(of: try Samples.account())
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            var reader = updates.makeAsyncIterator()
            for _ in 0..<2 { _ = await subscriptions.next() }
            try await Self.publish(1, by: controller)
            try await Self.publish(1, isLast: true, by: controller)
            try await Self.publish(2, by: controller)
            #expect(await reader.next()?.sequence == StreamSequence(1))
            #expect(await reader.next()?.sequence == StreamSequence(2))
            #expect(await subscriptions.next() == ScriptedController.ticket(2))
        }
    }

    @Test("a ticket for a program itself, and its other requests, are marked as unattended")
    func unattended() async throws {
        try await Bench.connected { bench, controller in
            let (user, own) = (try Samples.credentials(), try Samples.credentials().unattended)
            let updates = try await bench.client.updates(of: try Samples.account(), as: own)
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            for _ in 0..<2 { _ = await subscriptions.next() }
            #expect(controller.unattendedTickets.withLock { $0 } == 1)
            var requests = controller.requests.makeAsyncIterator()
            for name in [own, user] {
                async let status = bench.client.status(as: name)
                let asked = try #require(await requests.next())
                #expect(asked.request.isUnattended == name.isUnattended)
                try await controller.answer(asked, .status(StatusReport(epoch: Epoch(3), devices: 1)))
                _ = try await status
            }
            #expect(updates.dropped == 0)
        }
    }

    @Test("a refused ticket is requested with other credentials, and again with newer ones")
    func names() async throws {
        try await Bench.connected { bench, controller in
            let tokens = try (1...3).map { try Samples.token(UInt8($0)) }
            let account = try Samples.account()
            func name(_ index: Int) throws -> Credentials {
                Credentials(user: try Samples.email(), token: tokens[index])
            }
            controller.know([tokens[0].bytes])
            let updates = try await bench.client.updates(of: account, as: try name(0))
            await bench.client.offer(try name(1), forStreamOf: account)
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            for _ in 0..<2 { _ = await subscriptions.next() }

            // The newest credentials are tried first and refused, and the older ones are used.
            try await Self.publish(1, isLast: true, by: controller)
            #expect(await subscriptions.next() == ScriptedController.ticket(2))

            // All are refused: the client waits for others.
            controller.know([tokens[2].bytes])
            try await Self.publish(1, isLast: true, by: controller)
            while await bench.client.streams[account]?.isRefused == false { await Task.yield() }
            await bench.client.offer(try name(2), forStreamOf: account)
            #expect(await subscriptions.next() == ScriptedController.ticket(3))
            #expect(updates.dropped == 0)
        }
    }

    @Test("a refused ticket is requested again once the client has other credentials")
    func ownName() async throws {
        try await Bench.connected { bench, controller in
            controller.know([try Samples.token(9).bytes])
            let updates = try await bench.client.updates(of: try Samples.account())
            await bench.client.use(Credentials(user: try Samples.email(), token: try Samples.token(9)))
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            _ = await subscriptions.next()
            #expect(await subscriptions.next() == ScriptedController.ticket(1))
            #expect(updates.dropped == 0)
        }
    }
}
