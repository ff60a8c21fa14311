import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("EndedRequests")
struct EndedRequestsTests {
    private static let start = WallTime(unixMilliseconds: 1_800_000_000_000)

    /// Requests of one millisecond that ended a second apart.
    private static func endedRequests() throws -> [(key: RequestKey, entry: EndedRequests.Entry)] {
        let user = try #require(Email("demo@sensibus.local"))
        return (UInt64(0)..<4).map { number in
            let id = RequestID(high: UInt64(start.unixMilliseconds) << 16, low: number)
            let report = OutcomeReport(
                requestID: id, device: nil, outcome: .cancelled, user: user, versionBefore: .zero,
                attempts: 0, timing: OutcomeReport.Timing(totalUs: 0))
            let endedAt = start.advanced(by: .seconds(Int64(number)))
            return (
                RequestKey(account: 0, id: id),
                EndedRequests.Entry(report: report, content: nil, endedAt: endedAt, mayBeJudged: true)
            )
        }
    }

    @Test(
        "outcomes are forgotten in the same order, regardless of the order of insertion",
        arguments: [[0, 1, 2, 3], [3, 2, 1, 0], [2, 0, 3, 1]])
    func order(_ order: [Int]) throws {
        let ended = try Self.endedRequests()
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
            monotonic: MonotonicTime.zero.advanced(by: passed), wall: start.advanced(by: passed + ahead))
    }

    @Test(
        "outcomes are retained for at least half their time when the wall clock is set ahead",
        arguments: [1, 30])
    func clockStep(days: Int) throws {
        var requests = EndedRequests(retention: ControllerConfiguration.Retention())
        for (key, entry) in try Self.endedRequests() { requests.insert(entry, for: key) }
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
    func clockStepBetweenStarts() throws {
        var requests = EndedRequests(retention: ControllerConfiguration.Retention())
        requests.raise(0, to: Self.start.advanced(by: .seconds(-60)))
        for (key, entry) in try Self.endedRequests() { requests.insert(entry, for: key) }
        let ahead = Self.moment(after: .zero, ahead: .seconds(48 * 3_600))
        requests.age(to: ahead)
        #expect(requests.prune(at: ahead.wall).isEmpty)
        #expect(requests.count == 4)
    }

    @Test("after a start with the clock ahead, the latest outcome is the clock if a quota raised the horizon")
    func clockStepAndQuota() {
        var clock = AgeClock()
        clock.recordEarlier(end: Self.start)
        clock.recordEarlier(end: Self.start.advanced(by: .seconds(-5)))
        let ahead = Self.moment(after: .zero, ahead: .seconds(48 * 3_600))
        clock.advance(to: ahead, from: Self.start.advanced(by: .seconds(24 * 3_600)))
        #expect(clock.shown == Self.start)
    }
}
