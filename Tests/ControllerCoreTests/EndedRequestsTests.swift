import FleetProtocol
import Stepping
import Testing

@testable import ControllerCore

@Suite("What became of requests")
struct EndedRequestsTests {
    private static let start = WallTime(unixMilliseconds: 1_800_000_000_000)

    /// Requests of one millisecond, each of which ended a second later than the one before.
    private static func endedRequests() throws -> [(key: RequestKey, entry: EndedRequests.Entry)] {
        let actor = try #require(Email("demo@sensibus.local"))
        return (UInt64(0)..<4).map { number in
            let id = RequestID(high: UInt64(start.unixMilliseconds) << 16, low: number)
            let report = OutcomeReport(
                requestID: id, device: nil, outcome: .cancelled, actor: actor, versionBefore: .zero,
                attempts: 0, timing: OutcomeReport.Timing(totalUs: 0))
            let endedAt = start.advanced(by: .seconds(Int64(number)))
            return (
                RequestKey(account: 0, id: id),
                EndedRequests.Entry(report: report, content: nil, endedAt: endedAt)
            )
        }
    }

    @Test(
        "is forgotten in one and the same order, in whatever order it was learnt",
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
}
