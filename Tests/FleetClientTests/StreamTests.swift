import FleetProtocol
import Testing

@testable import FleetClient

@Suite("The stream over real sockets", .timeLimit(.minutes(1)))
struct StreamTests {
    private func update(_ sequence: UInt64, epoch: UInt64 = 1) -> StreamUpdate {
        StreamUpdate(
            epoch: Epoch(epoch), sequence: StreamSequence(sequence), at: WallTime(unixMilliseconds: 1),
            body: .reported(Samples.device, Samples.state()))
    }

    /// The topic of the account's first stream.
    private static func topic() throws -> [UInt8] {
        StreamTopic(account: try Samples.account(), number: 1).bytes
    }

    @Test("updates of the account arrive in order, without those of others and invalid ones")
    func updates() async throws {
        try await Bench.connected { bench, controller in
            let topic = try Self.topic()
            let updates = try await bench.client.updates(of: try Samples.account())
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            #expect(await subscriptions.next() == Topic.streams)
            #expect(await subscriptions.next() == ScriptedController.ticket(1))

            try await controller.publish(update(1), topic: topic)
            let other = try #require(AccountID("other"))
            try await controller.publish(update(9), topic: StreamTopic(account: other, number: 1).bytes)
            try await controller.publish([0xff], topic: topic)
            try await controller.publish(update(2), topic: topic)
            var reader = updates.makeAsyncIterator()
            #expect(await reader.next() == update(1))
            #expect(await reader.next() == update(2))
            #expect(await bench.client.counters.badUpdates == 1)
            #expect(updates.dropped == 0)
        }
    }

    @Test("a stream with a pause is read after each pause, and loses nothing")
    func pauses() async throws {
        try await Bench.connected { bench, controller in
            let topic = try Self.topic()
            let updates = try await bench.client.updates(
                of: try Samples.account(), pause: .milliseconds(20))
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            _ = await subscriptions.next()
            var reader = updates.makeAsyncIterator()
            #expect(await bench.client.streamRest == nil)
            for sequence in UInt64(1)...10 {
                try await controller.publish(update(sequence), topic: topic)
                #expect(await reader.next() == update(sequence))
            }
            #expect(updates.dropped == 0)
        }
    }

    @Test("a pausing stream is read at the end of its pause, unless the client was closed")
    func rest() async throws {
        try await Bench.connected { bench, controller in
            let topic = try Self.topic()
            let updates = try await bench.client.updates(of: try Samples.account(), pause: .seconds(3_600))
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            _ = await subscriptions.next()
            var reader = updates.makeAsyncIterator()
            try await controller.publish(update(1), topic: topic)
            #expect(await reader.next() == update(1))
            #expect(await bench.client.streamRest != nil)
            await bench.client.close()
            #expect(await bench.client.streamRest == nil)
            #expect(await reader.next() == nil)
        }
    }

    @Test("updates continue after the controller was restarted")
    func restart() async throws {
        try await Bench.connected { bench, controller in
            let topic = try Self.topic()
            let updates = try await bench.client.updates(of: try Samples.account())
            var reader = updates.makeAsyncIterator()
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            _ = await subscriptions.next()
            try await controller.publish(update(1), topic: topic)
            #expect(await reader.next() == update(1))
            await controller.stop()

            let successor = try await bench.startController()
            var later = successor.subscriptions.makeAsyncIterator()
            // The subscriptions that the socket repeats, in its own order.
            var again: Set<[UInt8]> = []
            for _ in 0..<2 { again.insert(try #require(await later.next())) }
            #expect(again == [Topic.streams, ScriptedController.ticket(1)])
            try await successor.publish(update(1, epoch: 2), topic: topic)
            #expect(await reader.next() == update(1, epoch: 2))
            await successor.stop()
        }
    }

    @Test("closing the client ends the updates")
    func closing() async throws {
        try await Bench.connected { bench, _ in
            let updates = try await bench.client.updates(of: try Samples.account())
            await bench.client.close()
            var reader = updates.makeAsyncIterator()
            #expect(await reader.next() == nil)
            await #expect(throws: FleetError.closed) {
                try await bench.client.updates(of: try Samples.account())
            }
        }
    }

    @Test("a reader that is too slow loses the oldest updates, and their number is counted")
    func slowReader() async {
        let (updates, feed) = StreamUpdates.make(limit: 3)
        for sequence in UInt64(1)...5 { feed.put([update(sequence)]) }
        feed.finish()
        #expect(updates.dropped == 2)
        var received: [UInt64] = []
        for await update in updates { received.append(update.sequence.value) }
        #expect(received == [3, 4, 5])
    }

    @Test("an update of many devices takes that many places in the buffer")
    func slowReaderOfMany() async {
        func reports(_ sequence: UInt64, of count: Int) -> StreamUpdate {
            let report = ReportedDevice(device: Samples.device, state: Samples.state())
            return StreamUpdate(
                epoch: Epoch(1), sequence: StreamSequence(sequence), at: WallTime(unixMilliseconds: 1),
                body: .reports([ReportedDevice](repeating: report, count: count)))
        }
        let (updates, feed) = StreamUpdates.make(limit: 10)
        feed.put([update(1)])
        feed.put([reports(2, of: 4)])
        feed.put([reports(3, of: 5)])
        #expect(updates.dropped == 0)
        feed.put([reports(4, of: 3)])
        feed.finish()
        #expect(updates.dropped == 2)
        #expect(updates.unread == 8)
        var received: [UInt64] = []
        var unread: [Int] = []
        for await update in updates {
            received.append(update.sequence.value)
            unread.append(updates.unread)
        }
        #expect(received == [3, 4])
        #expect(unread == [3, 0], "an update that was taken and is not handled yet counts too")
    }

    @Test("beats do not count as unread")
    func beats() async {
        let (updates, feed) = StreamUpdates.make()
        let beat = StreamUpdate(
            epoch: Epoch(1), sequence: StreamSequence(1), at: WallTime(unixMilliseconds: 1), body: .beat)
        feed.put([beat, update(2), beat])
        #expect(updates.unread == 1)
    }

    @Test("a reader that waits repeatedly gets each update once, in order")
    func eagerReader() async {
        let (updates, feed) = StreamUpdates.make()
        let reader = Task {
            var received: [UInt64] = []
            for await update in updates { received.append(update.sequence.value) }
            return received
        }
        for sequence in UInt64(1)...20_000 {
            feed.put([update(sequence)])
            if sequence.isMultiple(of: 100) { await Task.yield() }
        }
        feed.finish()
        #expect(await reader.value == Array(1...20_000))
        #expect(updates.dropped == 0)
    }

    @Test("the end of a reader is reported once")
    func endedReader() async {
        let (ends, counter) = AsyncStream.makeStream(of: Void.self)
        let feed = {
            let (_, feed) = StreamUpdates.make()
            feed.onEnd { counter.yield() }
            return feed
        }()
        feed.finish()
        counter.finish()
        var count = 0
        for await _ in ends { count += 1 }
        #expect(count == 1)
    }

    @Test("a reader that ends ends its subscription")
    func leaving() async throws {
        try await Bench.connected { bench, controller in
            let task = Task {
                let updates = try await bench.client.updates(of: try Samples.account())
                for await _ in updates {}
            }
            var subscriptions = controller.subscriptions.makeAsyncIterator()
            _ = await subscriptions.next()
            task.cancel()
            try await task.value
            // The end of the subscription was passed to the client's thread before this request.
            #expect(await bench.client.readers.isEmpty)
        }
    }
}
