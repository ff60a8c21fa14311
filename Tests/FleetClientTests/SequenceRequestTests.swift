import FleetProtocol
import FleetTime
import TestSupport
import Testing

@testable import FleetClient

@Suite("Sequence requests", .timeLimit(.minutes(1)))
struct SequenceRequestTests {
    private func report(_ number: UInt64) throws -> SequenceReport {
        let plan = SequencePlan.demo(on: DeviceID(fleetSeed: 1, index: 0))
        return SequenceReport(
            id: RequestID(high: 0x7000, low: number), plan: plan, author: try #require(Email("a@b.c")),
            startedAt: WallTime(unixMilliseconds: 1), state: .running,
            progress: plan.commands.map { _ in .waiting })
    }

    @Test("a start of a sequence without a reply is sent again with its ID after 1 s")
    func silence() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let known = try report(7)
            async let started = bench.client.startSequence(known.id, known.plan)
            let first = try #require(await requests.next())
            #expect(first.request.body == .sequences(.start(known.id, known.plan)))
            let second = try #require(await requests.next())
            #expect(second.request.body == first.request.body)
            try await controller.answer(second, .sequences(.report(known)))
            #expect(try await started == known)
        }
    }

    @Test("a report of another sequence is an unexpected reply")
    func another() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let (known, other) = (try report(7), try report(8))
            async let steered = bench.client.steerSequence(known.id, .pause)
            let request = try #require(await requests.next())
            #expect(request.request.body == .sequences(.steer(known.id, .pause)))
            try await controller.answer(request, .sequences(.report(other)))
            do {
                _ = try await steered
                Issue.record("it was accepted")
            } catch {
                #expect(error as? FleetError == .unexpectedReply)
            }
        }
    }

    @Test("sequences are listed chunk by chunk, the newest first")
    func list() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let summaries = try (1...3).map { try report($0).summary }
            async let found = bench.client.sequences(150)
            let first = try #require(await requests.next())
            #expect(first.request.body == .sequences(.list(before: nil, limit: 100)))
            try await controller.answer(
                first,
                .sequences(.list(SequenceList(sequences: [summaries[2], summaries[1]], isLast: false))))
            let second = try #require(await requests.next())
            #expect(second.request.body == .sequences(.list(before: summaries[1].id, limit: 100)))
            try await controller.answer(
                second, .sequences(.list(SequenceList(sequences: [summaries[0]], isLast: true))))
            #expect(try await found.map(\.id) == summaries.reversed().map(\.id))
        }
    }
}
