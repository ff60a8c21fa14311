import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("EndedRequests")
struct EndedRequestsTests {
    /// Requests of one millisecond that ended a second apart.
    private static func endedRequests() -> [(key: RequestKey, entry: EndedRequests.Entry)] {
        (UInt64(0)..<4).map { number in
            let id = RequestID(high: UInt64(Bench.start.unixMilliseconds) << 16, low: number)
            let report = OutcomeReport(requestID: id, device: nil, outcome: .cancelled, user: .demo)
            let endedAt = Bench.start.advanced(by: .seconds(Int64(number)))
            return (
                RequestKey(account: 0, id: id),
                EndedRequests.Entry(report: report, content: nil, endedAt: endedAt, mayBeJudged: true)
            )
        }
    }

    @Test(
        "outcomes are forgotten in the same order, regardless of the order of insertion",
        arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
    func order(_ order: [Int]) {
        let ended = Self.endedRequests()
        var retention = ControllerConfiguration.Retention()
        retention.tombstones = 0
        var requests = EndedRequests(retention: retention)
        for index in order { requests.insert(ended[index].entry, for: ended[index].key) }
        for (index, (_, entry)) in ended.enumerated() {
            _ = requests.prune(at: entry.endedAt.advanced(by: retention.shortest))
            #expect(ended.map { requests[$0.key] == nil } == (0..<4).map { $0 <= index })
        }
    }

    /// The moment that long after the start, with the wall clock ahead by the same amount.
    private static func moment(after passed: Duration, ahead: Duration = .zero) -> Moment {
        Moment(
            monotonic: MonotonicTime.zero.advanced(by: passed), wall: Bench.start.advanced(by: passed + ahead)
        )
    }

    @Test(
        "outcomes are retained for at least half their time when the wall clock is set ahead",
        arguments: [1, 30])
    func clockStep(days: Int) {
        var requests = EndedRequests(retention: ControllerConfiguration.Retention())
        for (key, entry) in Self.endedRequests() { requests.insert(entry, for: key) }
        let day = Duration.seconds(24 * 3_600)
        func count(after passed: Duration) -> Int {
            let moment = Self.moment(after: passed, ahead: day * days)
            requests.age(to: moment)
            _ = requests.prune(at: moment.wall)
            return requests.count
        }
        // Time that passes before the step adds no credit to it.
        requests.age(to: Self.moment(after: .seconds(5)))
        #expect(count(after: .seconds(10)) == 4)
        #expect(count(after: day / 2 - .seconds(20)) == 4)
        #expect(count(after: day / 2 + .seconds(20)) == 0)
    }

    @Test("outcomes are retained after a start with the clock two days ahead if a horizon shows its clock")
    func clockStepBetweenStarts() {
        var requests = EndedRequests(retention: ControllerConfiguration.Retention())
        requests.raise(0, to: Bench.start.advanced(by: .seconds(-60)))
        for (key, entry) in Self.endedRequests() { requests.insert(entry, for: key) }
        let ahead = Self.moment(after: .zero, ahead: .seconds(48 * 3_600))
        requests.age(to: ahead)
        #expect(requests.prune(at: ahead.wall).isEmpty)
        #expect(requests.count == 4)
    }

    @Test("after a start with the clock ahead, the latest outcome is the clock if a quota raised the horizon")
    func clockStepAndQuota() {
        var clock = AgeClock()
        clock.recordEarlier(end: Bench.start)
        clock.recordEarlier(end: Bench.start.advanced(by: .seconds(-5)))
        let ahead = Self.moment(after: .zero, ahead: .seconds(48 * 3_600))
        clock.advance(to: ahead, from: Bench.start.advanced(by: .seconds(24 * 3_600)))
        #expect(clock.shown == Bench.start)
    }
}

@Suite("Outcomes in old segments of the journal")
struct CarriedEndsTests {
    private var generator = SeededGenerator(seed: 5)

    /// Outcomes of a busy account, five of them retained, in segments of ten; the first segment also has
    /// an outcome of a quiet account.
    private mutating func ended(segments: Int, slack: Int) -> EndedRequests {
        var retention = ControllerConfiguration.Retention()
        (retention.results, retention.removedInJournal) = (5, slack)
        var ended = EndedRequests(retention: retention)
        ended.insertEnd(0, of: 0, using: &generator)
        for segment in 1...segments {
            ended.began(segment: segment)
            for second in 0..<10 { ended.insertEnd(10 * segment + second, of: 1, using: &generator) }
        }
        let now = Bench.start.advanced(by: .seconds(10_000))
        for _ in 0..<10 { _ = ended.prune(at: now) }
        return ended
    }

    @Test("old outcomes keep their segments while few outcomes are forgotten")
    mutating func needed() {
        var ended = ended(segments: 4, slack: 1_000)
        #expect(ended.carryForward().isEmpty)
        #expect(ended.firstNeededSegment() == nil)
    }

    @Test("old outcomes are rewritten when most others in their segments are forgotten, which frees these")
    mutating func carried() {
        var ended = ended(segments: 4, slack: 10)
        let carried = ended.carryForward()
        #expect(carried.map(\.account) == [0])
        #expect(ended.firstNeededSegment() == 4)
        #expect(ended.carryForward().isEmpty)
        #expect(ended.firstNeededSegment() == nil)
    }

    @Test("outcomes that a journal contains twice are the same after a restart")
    func replayed() throws {
        let bench = Bench.withDevices {
            $0.retention.results = 2
            $0.retention.removedInJournal = 2
        }
        let quiet = bench.newID()
        bench.cancel(quiet)
        for segment in 1...8 {
            bench.step(.stored(took: .zero, segment: segment))
            bench.toggle()
            bench.carryOutNewest()
            bench.passWithPings(.seconds(61))
        }
        let ends = bench.stored.filter {
            if case .ended(_, let report, _, _) = $0 { report.requestID == quiet } else { false }
        }
        #expect(ends.count > 1, "it was rewritten")
        #expect(bench.stored.contains { if case .segmentsRemoved = $0 { true } else { false } })
        try bench.restart()
        #expect(bench.cancelReply(of: bench.cancel(quiet)) == .cancelled)
        bench.pass(.seconds(1))
        #expect(bench.controller.engine.ended.count == 3)
    }
}
