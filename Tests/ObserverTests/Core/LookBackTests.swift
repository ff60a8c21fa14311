import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Looking back")
struct LookBackTests {
    private static let now = Fixture.start.advanced(by: .seconds(600))

    private func past(_ number: Int, secondsAgo: Int64) throws -> HistoryChunk.PastOutcome {
        let digits = String(number)
        let id = "0190a6e8-7c5b-7d2e-9a41-" + String(repeating: "0", count: 12 - digits.count) + digits
        let report = OutcomeReport(
            requestID: try #require(RequestID(id)), device: Fixture.device(1), outcome: .cancelled,
            user: try #require(Email("demo@sensibus.local")), versionBefore: Version(1), attempts: 1,
            timing: OutcomeReport.Timing(totalUs: 10))
        return HistoryChunk.PastOutcome(
            endedAt: Self.now.wall.advanced(by: .seconds(-secondsAgo)), report: report)
    }

    private func chunk(
        _ outcomes: [HistoryChunk.PastOutcome], completeSince: WallTime? = nil, isLast: Bool = true
    ) -> HistoryChunk {
        HistoryChunk(nextCursor: 1, isLast: isLast, completeSince: completeSince, outcomes: outcomes)
    }

    /// The events as text.
    private func text(_ look: LookBack) throws -> [String] {
        let replica = try ReplicaDriver.whole().replica
        return look.events(for: replica, at: Self.now).map { EventLine($0).text }
    }

    @Test("a look back shows outcomes in order with names, after a line with their extent")
    func order() throws {
        var look = LookBack(back: .seconds(600))
        look.append(chunk([try past(1, secondsAgo: 10), try past(2, secondsAgo: 30)], isLast: false))
        look.append(chunk([try past(3, secondsAgo: 20)]))
        let events = look.events(for: try ReplicaDriver.whole().replica, at: Self.now)
        #expect(
            events.dropFirst().map { $0.at.duration(to: Self.now.wall) } == [
                .seconds(30), .seconds(20), .seconds(10),
            ])
        #expect(
            try text(look).first
                == "in the last 10m 3 requests ended; "
                + "presence changes and hand remotes are not in the history"
        )
        #expect(try text(look).last == "Bedroom 1: cancelled by demo@sensibus.local, nothing changed")
    }

    @Test("a look back says from when on outcomes may be missing, if that is within it")
    func gap() throws {
        var look = LookBack(back: .seconds(600))
        look.append(chunk([], completeSince: Self.now.wall.advanced(by: .seconds(-100))))
        #expect(try text(look).first?.contains("requests made before 2026-01-31T12:08:21.234Z") == true)
        var longAgo = LookBack(back: .seconds(50))
        longAgo.append(chunk([], completeSince: Self.now.wall.advanced(by: .seconds(-100))))
        #expect(try text(longAgo).first?.contains("not known") == false)
    }

    @Test("a look back shows each outcome once")
    func once() throws {
        var look = LookBack(back: .seconds(600))
        let seen = try past(1, secondsAgo: 1)
        let outcome = FleetEvent.Outcome(report: seen.report, device: nil, before: nil)
        look.exclude(ObserverEvent(at: Self.now.wall, .outcome(outcome)))
        look.append(chunk([seen, seen, try past(2, secondsAgo: 2)]))
        #expect(try text(look).count == 2)
    }

    @Test("a look back shows the newest outcomes up to its limit, and how many are left out")
    func bounded() throws {
        var look = LookBack(back: .seconds(600))
        for start in stride(from: 0, to: 25_000, by: 500) {
            look.append(chunk(try (start..<start + 500).map { try past($0, secondsAgo: Int64(30_000 - $0)) }))
        }
        let lines = try text(look)
        #expect(lines.count == 1 + LookBack.limit)
        #expect(lines.first?.contains("10000 requests ended, 15000 earlier ones omitted") == true)
    }
}
