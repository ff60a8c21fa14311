import FleetProtocol
import Synchronization
import Testing

@testable import FleetClient

@Suite("The stream over real sockets", .timeLimit(.minutes(1)))
struct StreamTests {
    @Test("updates of the account arrive in order, without those of others and invalid ones")
    func updates() async throws {
        try await Bench.connected { bench, controller in
            let updates = try await bench.client.updates(of: try Samples.account())
            #expect(await controller.nextSubscription() == Topic.streams)
            #expect(await controller.nextSubscription() == ScriptedController.ticket(1))

            try await controller.publish(Samples.update(1))
            let other = try #require(AccountID("other"))
            try await controller.publish(Samples.update(9), to: other)
            try await controller.publish([0xff])
            try await controller.publish(Samples.update(2))
            var reader = updates.makeAsyncIterator()
            #expect(await reader.next() == Samples.update(1))
            #expect(await reader.next() == Samples.update(2))
            #expect(await bench.client.counters.badUpdates == 1)
            #expect(updates.dropped == 0)
        }
    }

    @Test("a stream with a pause is read after each pause, and loses nothing")
    func pauses() async throws {
        try await Bench.connected { bench, controller in
            let updates = try await bench.client.updates(of: try Samples.account(), pause: .milliseconds(20))
            _ = await controller.nextSubscription()
            var reader = updates.makeAsyncIterator()
            #expect(await !bench.client.isResting)
            for sequence in UInt64(1)...10 {
                try await controller.publish(Samples.update(sequence))
                #expect(await reader.next() == Samples.update(sequence))
            }
            #expect(updates.dropped == 0)
        }
    }

    @Test("a pausing stream is read at the end of its pause, unless the client was closed")
    func rest() async throws {
        try await Bench.connected { bench, controller in
            let updates = try await bench.client.updates(of: try Samples.account(), pause: .seconds(3_600))
            _ = await controller.nextSubscription()
            var reader = updates.makeAsyncIterator()
            try await controller.publish(Samples.update(1))
            #expect(await reader.next() == Samples.update(1))
            #expect(await bench.client.isResting)
            await bench.client.close()
            #expect(await !bench.client.isResting)
            #expect(await reader.next() == nil)
        }
    }

    @Test("updates continue after the controller was restarted")
    func restart() async throws {
        try await Bench.connected { bench, controller in
            let updates = try await bench.client.updates(of: try Samples.account())
            var reader = updates.makeAsyncIterator()
            _ = await controller.nextSubscription()
            try await controller.publish(Samples.update(1))
            #expect(await reader.next() == Samples.update(1))
            await controller.stop()

            let successor = try await bench.startController()
            // The subscriptions that the socket repeats, in its own order.
            var again: Set<[UInt8]> = []
            for _ in 0..<2 { again.insert(try #require(await successor.nextSubscription())) }
            #expect(again == [Topic.streams, ScriptedController.ticket(1)])
            try await successor.publish(Samples.update(1, epoch: 2))
            #expect(await reader.next() == Samples.update(1, epoch: 2))
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
        for sequence in UInt64(1)...5 { feed.put([Samples.update(sequence)]) }
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
            return Samples.update(sequence, .reports([ReportedDevice](repeating: report, count: count)))
        }
        let (updates, feed) = StreamUpdates.make(limit: 10)
        feed.put([Samples.update(1)])
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
        let beat = Samples.update(1, .beat)
        feed.put([beat, Samples.update(2), beat])
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
            feed.put([Samples.update(sequence)])
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
            _ = await controller.nextSubscription()
            task.cancel()
            try await task.value
            // The end of the subscription was passed to the client's thread before this request.
            #expect(await bench.client.readers.isEmpty)
        }
    }
}

@Suite("Stream tickets of a client", .timeLimit(.minutes(1)))
struct TicketTests {
    @Test("a new ticket is requested after 1 s without updates")
    func silence() async throws {
        try await Bench.connected { bench, controller in
            let updates = try await bench.client.updates(of: try Samples.account())
            _ = await controller.nextSubscription()
            for number in UInt8(1)...3 {
                #expect(await controller.nextSubscription() == ScriptedController.ticket(number))
            }
            #expect(updates.dropped == 0)
        }
    }

    @Test("a new ticket is requested at once when the stream's session has ended, unseen by readers")
    func lastUpdate() async throws {
        try await Bench.connected { bench, controller in
            let updates = try await bench.client.updates(of: try Samples.account())
            var reader = updates.makeAsyncIterator()
            for _ in 0..<2 { _ = await controller.nextSubscription() }
            try await controller.publish(Samples.update(1, .beat))
            try await controller.publish(Samples.update(1, .beat, isLast: true))
            try await controller.publish(Samples.update(2, .beat))
            #expect(await reader.next()?.sequence == StreamSequence(1))
            #expect(await reader.next()?.sequence == StreamSequence(2))
            #expect(await controller.nextSubscription() == ScriptedController.ticket(2))
        }
    }

    @Test("a ticket for a program itself, and its other requests, are marked as unattended")
    func unattended() async throws {
        try await Bench.connected { bench, controller in
            let (user, own) = (try Samples.credentials(), try Samples.credentials().unattended)
            let updates = try await bench.client.updates(of: try Samples.account(), as: own)
            for _ in 0..<2 { _ = await controller.nextSubscription() }
            #expect(controller.unattendedTickets.withLock { $0 } == 1)
            for name in [own, user] {
                async let status = bench.client.status(as: name)
                let asked = try await controller.next()
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
            for _ in 0..<2 { _ = await controller.nextSubscription() }

            // The newest credentials are tried first and refused, and the older ones are used.
            try await controller.publish(Samples.update(1, .beat, isLast: true))
            #expect(await controller.nextSubscription() == ScriptedController.ticket(2))

            // All are refused: the client waits for others.
            controller.know([tokens[2].bytes])
            try await controller.publish(Samples.update(1, .beat, isLast: true))
            while await bench.client.streams[account]?.isRefused == false { await Task.yield() }
            await bench.client.offer(try name(2), forStreamOf: account)
            #expect(await controller.nextSubscription() == ScriptedController.ticket(3))
            #expect(updates.dropped == 0)
        }
    }

    @Test("a refused ticket is requested again once the client has other credentials")
    func ownName() async throws {
        try await Bench.connected { bench, controller in
            controller.know([try Samples.token(9).bytes])
            let updates = try await bench.client.updates(of: try Samples.account())
            await bench.client.use(Credentials(user: try Samples.email(), token: try Samples.token(9)))
            _ = await controller.nextSubscription()
            #expect(await controller.nextSubscription() == ScriptedController.ticket(1))
            #expect(updates.dropped == 0)
        }
    }
}
