import FleetProtocol
import Synchronization
import Testing

@testable import FleetClient

@Suite("A client whose account was moved", .timeLimit(.minutes(1)))
struct MovedAccountTests {
    private static func cells() throws -> [CellName] {
        [try #require(CellName("c2")), try #require(CellName("c3"))]
    }

    @Test("a query is answered by the cell that has the account, and later ones go there at once")
    func query() async throws {
        let cells = try Self.cells()
        try await Bench.connected(others: cells) { bench, first in
            let second = try await bench.startController(of: cells[0])
            async let moved = bench.client.status()
            try await first.answerNext(.refusal(.moved(cells[0])))
            let asked = try await second.answerNext(.status(StatusReport(epoch: Epoch(3), devices: 1)))
            #expect(asked.token == (try Samples.token()))
            #expect(try await moved.devices == 1)
            #expect(await bench.client.cell == cells[0])
            #expect(await bench.client.isConnected)

            async let later = bench.client.status()
            try await second.answerNext(.status(StatusReport(epoch: Epoch(3), devices: 2)))
            #expect(try await later.devices == 2)
            await second.stop()
        }
    }

    @Test("a command keeps its ID, and is as refused or carried out as the last cell says")
    func command() async throws {
        let cells = try Self.cells()
        try await Bench.connected(others: cells) { bench, first in
            let second = try await bench.startController(of: cells[0])
            let (applied, refused) = (
                Samples.toggle(timeout: .seconds(20)),
                Samples.toggle(timeout: .seconds(20), id: Samples.requestID(2))
            )
            async let outcome = bench.client.perform(applied)
            let copies = [
                try await first.answerNext(.refusal(.moved(cells[0]))),
                try await second.answerNext(.outcome(try Samples.applied())),
            ]
            for copy in copies {
                guard case .command(let command) = copy.body else { return try #require(Bool(false)) }
                #expect(command.requestID == applied.requestID)
            }
            #expect(try await outcome == .outcome(try Samples.applied()))

            let failed = Task { try await bench.client.perform(refused) }
            try await second.answerNext(.refusal(.notFound))
            await #expect(throws: FleetError.refused(.notFound)) { _ = try await failed.value }
            await second.stop()
        }
    }

    @Test("a reply of the former cell that is under way is received")
    func late() async throws {
        let cells = try Self.cells()
        try await Bench.connected(others: cells) { bench, first in
            let second = try await bench.startController(of: cells[0])
            // A request that is never repeated.
            async let injected = bench.client.inject(
                .offline, into: [Samples.device], for: .seconds(1), timeout: .seconds(20))
            let late = try await first.next()
            async let moved = bench.client.status()
            try await first.answerNext(.refusal(.moved(cells[0])))
            let asked = try await second.next()
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
            try await first.answerNext(.refusal(.moved(unknown)))
            await #expect(throws: FleetError.refused(.moved(unknown))) { _ = try await nowhere.value }

            let others = [
                try await bench.startController(of: cells[0]), try await bench.startController(of: cells[1]),
            ]
            let circling = Task { try await bench.client.status(timeout: .seconds(20)) }
            try await first.answerNext(.refusal(.moved(cells[0])))
            try await others[0].answerNext(.refusal(.moved(cells[1])))
            try await others[1].answerNext(.refusal(.moved(cells[0])))
            try await others[0].answerNext(.refusal(.moved(cells[1])))
            await #expect(throws: FleetError.refused(.moved(cells[1]))) { _ = try await circling.value }
            for other in others { await other.stop() }
        }
    }

    @Test("a log-in of another user does not lead a client away from its session")
    func otherUser() async throws {
        let cells = try Self.cells()
        try await Bench.connected(others: cells) { bench, first in
            let (email, password) = (try Samples.email(), try #require(Password("correct horse battery")))
            let logIn = Task { try await bench.client.openSession(email: email, password: password) }
            try await first.answerNext(.refusal(.moved(cells[0])))
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
            for _ in 0..<2 { _ = await first.nextSubscription() }
            first.successor.withLock { $0 = cells[0] }
            // Silence makes the client request another ticket.
            for _ in 0..<2 { _ = await second.nextSubscription() }
            try await second.publish(Samples.update(1, epoch: 4, .beat))
            #expect(await reader.next()?.epoch == Epoch(4))
            await second.stop()
        }
    }
}
