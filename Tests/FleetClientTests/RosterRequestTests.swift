import FleetProtocol
import TestSupport
import Testing

@testable import FleetClient

@Suite("Roster requests", .timeLimit(.minutes(1)))
struct RosterRequestTests {
    private static let start = WallTime(unixMilliseconds: 1_800_000_000_000)

    private func shifts(_ range: Range<Int>, who: String = "Kari") throws -> [Shift] {
        try range.map { index in
            let from = Self.start.advanced(by: .seconds(3_600 * index))
            return try Shift(who: who, from: from, to: from.advanced(by: .seconds(3_600)))
        }
    }

    private func roster(version: UInt64) -> Roster {
        Roster(version: RosterVersion(version), shifts: 4, isEnforced: false)
    }

    private func chunk(
        version: UInt64, _ shifts: [Shift], next: UInt32, isLast: Bool
    ) -> ClientReply.Body {
        .roster(
            .chunk(
                RosterChunk(
                    roster: roster(version: version), shifts: shifts, nextCursor: next, isLast: isLast)))
    }

    @Test("the roster is read chunk by chunk, and again if it changes in between")
    func read() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            async let read = bench.client.roster(from: Self.start)
            let old = try shifts(0..<2)
            let new = try shifts(4..<8)
            let script: [(cursor: UInt32, reply: ClientReply.Body)] = [
                (0, chunk(version: 1, old, next: 2, isLast: false)),
                (2, chunk(version: 2, old, next: 4, isLast: true)),
                (0, chunk(version: 2, Array(new[..<2]), next: 2, isLast: false)),
                (2, chunk(version: 2, Array(new[2...]), next: 4, isLast: true)),
            ]
            for (cursor, reply) in script {
                let request = try #require(await requests.next())
                let pull = RosterPull(from: Self.start, cursor: cursor)
                #expect(request.request.body == .roster(.read(pull)))
                try await controller.answer(request, reply)
            }
            let (roster, plan) = try await read
            #expect(roster.version == RosterVersion(2) && plan.shifts == new)
        }
    }

    @Test("a roster chunk without progress is an unexpected reply")
    func nowhere() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            async let read = bench.client.roster()
            let request = try #require(await requests.next())
            try await controller.answer(request, chunk(version: 1, [], next: 0, isLast: false))
            do {
                _ = try await read
                Issue.record("it was accepted")
            } catch {
                #expect(error as? FleetError == .unexpectedReply)
            }
        }
    }

    @Test("shifts are staged in as many messages as needed, and then replaced together")
    func replace() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            var generator = SeededGenerator(seed: 1)
            let id = RequestID(at: Self.start, using: &generator)
            let all = try shifts(0..<450)
            let stranger = try #require(Email("nobody@example.com"))
            async let replaced = bench.client.replaceShifts(
                all, in: .utc, from: RosterVersion(4), requestID: id)
            var count = 0
            while count < all.count {
                let request = try #require(await requests.next())
                guard case .roster(.stage(id, let after, let part))? = request.request.body.decoded else {
                    Issue.record("not staged: \(request.request.body)")
                    return
                }
                #expect(Int(after) == count && part == Array(all[count..<count + part.count]))
                count += part.count
                try await controller.answer(request, .roster(.staged(shifts: UInt32(count))))
            }
            let request = try #require(await requests.next())
            let wanted = RosterImport(
                requestID: id, base: RosterVersion(4), shifts: 450, timeZone: .utc)
            #expect(request.request.body == .roster(.replace(wanted)))
            try await controller.answer(
                request, .roster(.replaced(roster(version: 5), strangers: [stranger])))
            let (roster, strangers) = try await replaced
            #expect(roster.version == RosterVersion(5) && strangers == [stranger])
        }
    }

    @Test("shifts are divided so that each message fits, for any text")
    func parts() throws {
        let long = try shifts(0..<500, who: String(repeating: "w", count: Limits.nameBytes))
        for shifts in [long, try shifts(0..<500), []] {
            let parts = FleetClient.parts(of: shifts)
            #expect(parts.flatMap { $0 } == shifts)
            #expect(parts.allSatisfy { (1...Limits.stagedShifts).contains($0.count) })
            #expect(
                parts.allSatisfy { part in
                    part.reduce(0) { $0 + $1.bytesAtMost } <= Limits.stagedShiftBytes
                })
        }
    }
}
