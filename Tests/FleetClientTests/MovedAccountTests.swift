import FleetProtocol
import Synchronization
import Testing

@testable import FleetClient

@Suite("A client whose account was moved", .timeLimit(.minutes(1)))
struct MovedAccountTests {
    private static func cells() throws -> [CellName] {
        [try #require(CellName("c2")), try #require(CellName("c3"))]
    }

    /// Answers a request with a refusal that names another cell.
    private static func redirect(
        _ asked: ScriptedController.Asked?, of controller: ScriptedController, to cell: CellName
    ) async throws -> ClientRequest {
        let asked = try #require(asked)
        try await controller.answer(asked, .refusal(.moved(cell)))
        return asked.request
    }

    @Test("a query is answered by the cell that has the account, and later ones go there at once")
    func query() async throws {
        let cells = try Self.cells()
        try await Bench.connected(others: cells) { bench, first in
            let second = try await bench.startController(of: cells[0])
            var (atFirst, atSecond) = (
                first.requests.makeAsyncIterator(), second.requests.makeAsyncIterator()
            )
            async let moved = bench.client.status()
            _ = try await Self.redirect(await atFirst.next(), of: first, to: cells[0])
            let asked = try #require(await atSecond.next())
            #expect(asked.request.token == (try Samples.token()))
            try await second.answer(asked, .status(StatusReport(epoch: Epoch(3), devices: 1)))
            #expect(try await moved.devices == 1)
            #expect(await bench.client.cell == cells[0])
            #expect(await bench.client.isConnected)

            async let later = bench.client.status()
            let next = try #require(await atSecond.next())
            try await second.answer(next, .status(StatusReport(epoch: Epoch(3), devices: 2)))
            #expect(try await later.devices == 2)
            await second.stop()
        }
    }

    @Test("a command keeps its ID, and is as refused or carried out as the last cell says")
    func command() async throws {
        let cells = try Self.cells()
        try await Bench.connected(others: cells) { bench, first in
            let second = try await bench.startController(of: cells[0])
            var (atFirst, atSecond) = (
                first.requests.makeAsyncIterator(), second.requests.makeAsyncIterator()
            )
            let (applied, refused) = (
                Samples.toggle(timeout: .seconds(20)),
                Samples.toggle(timeout: .seconds(20), id: Samples.requestID(2))
            )
            async let outcome = bench.client.perform(applied)
            guard
                case .command(let sent) = try await Self.redirect(
                    await atFirst.next(), of: first, to: cells[0]
                ).body
            else { return try #require(Bool(false)) }
            #expect(sent.requestID == applied.requestID)
            let asked = try #require(await atSecond.next())
            guard case .command(let again) = asked.request.body else { return try #require(Bool(false)) }
            #expect(again.requestID == applied.requestID)
            try await second.answer(asked, .outcome(try Samples.applied()))
            #expect(try await outcome == .outcome(try Samples.applied()))

            let failed = Task { try await bench.client.perform(refused) }
            let last = try #require(await atSecond.next())
            try await second.answer(last, .refusal(.notFound))
            await #expect(throws: FleetError.refused(.notFound)) { _ = try await failed.value }
            await second.stop()
        }
    }

    @Test("a reply of the former cell that is under way is received")
    func late() async throws {
        let cells = try Self.cells()
        try await Bench.connected(others: cells) { bench, first in
            let second = try await bench.startController(of: cells[0])
            var (atFirst, atSecond) = (
                first.requests.makeAsyncIterator(), second.requests.makeAsyncIterator()
            )
            // A request that is never repeated.
            async let injected = bench.client.inject(
                .offline, into: [Samples.device], for: .seconds(1), timeout: .seconds(20))
            let late = try #require(await atFirst.next())
            async let moved = bench.client.status()
            _ = try await Self.redirect(await atFirst.next(), of: first, to: cells[0])
            let asked = try #require(await atSecond.next())
            try await first.answer(late, .injected(devices: 1))
            #expect(try await injected == 1)
            try await second.answer(asked, .status(StatusReport(epoch: Epoch(3), devices: 1)))
            _ = try await moved
            await second.stop()
        }
    }

    @Test("cells that name each other, and an unknown cell, end the request")
    func disagreement() async throws {
        let cells = try Self.cells()
        let unknown = try #require(CellName("c4"))
        try await Bench.connected(others: cells) { bench, first in
            let nowhere = Task { try await bench.client.status() }
            var atFirst = first.requests.makeAsyncIterator()
            _ = try await Self.redirect(await atFirst.next(), of: first, to: unknown)
            await #expect(throws: FleetError.refused(.moved(unknown))) { _ = try await nowhere.value }

            let others = [
                try await bench.startController(of: cells[0]), try await bench.startController(of: cells[1]),
            ]
            let circling = Task { try await bench.client.status(timeout: .seconds(20)) }
            _ = try await Self.redirect(await atFirst.next(), of: first, to: cells[0])
            var (at2, at3) = (
                others[0].requests.makeAsyncIterator(), others[1].requests.makeAsyncIterator()
            )
            _ = try await Self.redirect(await at2.next(), of: others[0], to: cells[1])
            _ = try await Self.redirect(await at3.next(), of: others[1], to: cells[0])
            _ = try await Self.redirect(await at2.next(), of: others[0], to: cells[1])
            await #expect(throws: FleetError.refused(.moved(cells[1]))) { _ = try await circling.value }
            for other in others { await other.stop() }
        }
    }

    @Test("a log-in of another user does not lead a client away from its session")
    func otherUser() async throws {
        let cells = try Self.cells()
        try await Bench.connected(others: cells) { bench, first in
            var atFirst = first.requests.makeAsyncIterator()
            let (email, password) = (try Samples.email(), try #require(Password("correct horse battery")))
            let logIn = Task { try await bench.client.openSession(email: email, password: password) }
            _ = try await Self.redirect(await atFirst.next(), of: first, to: cells[0])
            await #expect(throws: FleetError.refused(.moved(cells[0]))) { _ = try await logIn.value }
            #expect(await bench.client.cell == nil)
        }
    }

    @Test("the stream goes on with tickets of the other cell")
    func stream() async throws {
        let cells = try Self.cells()
        try await Bench.connected(others: cells) { bench, first in
            let second = try await bench.startController(of: cells[0])
            let updates = try await bench.client.updates(of: try Samples.account())
            var reader = updates.makeAsyncIterator()
            var subscriptions = first.subscriptions.makeAsyncIterator()
            for _ in 0..<2 { _ = await subscriptions.next() }
            first.successor.withLock { $0 = cells[0] }
            // Silence makes the client request another ticket.
            subscriptions = second.subscriptions.makeAsyncIterator()
            for _ in 0..<2 { _ = await subscriptions.next() }
            let topic = StreamTopic(account: try Samples.account(), number: 1).bytes
            let update = StreamUpdate(
                epoch: Epoch(4), sequence: StreamSequence(1), at: WallTime(unixMilliseconds: 1), body: .beat)
            try await second.publish(update, topic: topic)
            #expect(await reader.next()?.epoch == Epoch(4))
            await second.stop()
        }
    }
}
