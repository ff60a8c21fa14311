import FleetProtocol
import TestSupport
import Testing

@testable import FleetClient

@Suite("Command queue requests", .timeLimit(.minutes(1)))
struct QueueRequestTests {
    private func report(_ number: UInt64) throws -> QueueReport {
        let plan = QueuePlan.demo(on: DeviceID(fleetSeed: 1, index: 0))
        return QueueReport(
            id: RequestID(high: 0x7000, low: number), plan: plan, author: try #require(Email("a@b.c")),
            startedAt: WallTime(unixMilliseconds: 1), state: .running,
            progress: plan.commands.map { _ in .waiting })
    }

    @Test("a start of a queue without a reply is sent again with its ID after 1 s")
    func silence() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let known = try report(7)
            async let started = bench.client.startCommandQueue(known.id, known.plan)
            let first = try #require(await requests.next())
            #expect(first.request.body == .commandQueues(.start(known.id, known.plan)))
            let second = try #require(await requests.next())
            #expect(second.request.body == first.request.body)
            try await controller.answer(second, .commandQueues(.report(known)))
            #expect(try await started == known)
        }
    }

    @Test("a report of another queue is an unexpected reply")
    func another() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let (known, other) = (try report(7), try report(8))
            async let steered = bench.client.steerCommandQueue(known.id, .pause)
            let request = try #require(await requests.next())
            #expect(request.request.body == .commandQueues(.steer(known.id, .pause)))
            try await controller.answer(request, .commandQueues(.report(other)))
            do {
                _ = try await steered
                Issue.record("it was accepted")
            } catch {
                #expect(error as? FleetError == .unexpectedReply)
            }
        }
    }

    @Test("queues are listed chunk by chunk, the newest first")
    func list() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let summaries = try (1...3).map { try report($0).summary }
            async let found = bench.client.commandQueues(150)
            let first = try #require(await requests.next())
            #expect(first.request.body == .commandQueues(.list(before: nil, limit: 100)))
            try await controller.answer(
                first,
                .commandQueues(.list(QueueList(queues: [summaries[2], summaries[1]], isLast: false))))
            let second = try #require(await requests.next())
            #expect(second.request.body == .commandQueues(.list(before: summaries[1].id, limit: 100)))
            try await controller.answer(
                second, .commandQueues(.list(QueueList(queues: [summaries[0]], isLast: true))))
            #expect(try await found.map(\.id) == summaries.reversed().map(\.id))
        }
    }
}
