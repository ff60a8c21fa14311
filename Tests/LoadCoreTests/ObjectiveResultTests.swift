import FleetProtocol
import Testing

@testable import LoadCore

@Suite("Verdicts on objectives")
struct ObjectiveResultTests {
    /// Latencies of 1, 2, 3 and so on milliseconds, one each.
    private static func latencies(upToMs count: Int) -> LatencyRecord {
        var record = LatencyRecord()
        for milliseconds in 1...count { record.record(.milliseconds(milliseconds)) }
        return record
    }

    @Test(
        "an objective is met if its percentile is within the limit",
        arguments: [
            ("p99<99.5ms", true), ("p99<98ms", false), ("max<=100ms", true), ("max<100ms", false),
            ("p50<51ms", true), ("p50<50ms", false), ("p99.9<101ms", true), ("p99.9<99.5ms", false),
        ])
    func objectiveResults(text: String, isMet: Bool) throws {
        let objectiveResult = try Objective(text).objectiveResult(on: Self.latencies(upToMs: 100), failed: 0)
        #expect(objectiveResult.isMet == isMet, "\(objectiveResult)")
        #expect(objectiveResult.slo == text)
    }

    @Test(
        "a failed toggle counts as slower than all others",
        arguments: [(0, 90.0), (1, 91), (10, 99), (11, 100)])
    func failures(failed: Int, valueMs: Double) throws {
        let objectiveResult = try Objective("p90<200ms").objectiveResult(
            on: Self.latencies(upToMs: 100), failed: failed)
        #expect(objectiveResult.isMet)
        #expect(abs(try #require(objectiveResult.valueUs) / 1_000 - valueMs) < 0.2)
    }

    @Test("an objective is missed if more toggles failed than it leaves out")
    func tooManyFailures() throws {
        let objectiveResult = try Objective("p90<200ms").objectiveResult(
            on: Self.latencies(upToMs: 100), failed: 12)
        #expect(objectiveResult == ObjectiveResult(slo: "p90<200ms", isMet: false, valueUs: nil))
        let one = try Objective("max<200ms").objectiveResult(on: Self.latencies(upToMs: 100), failed: 1)
        #expect(!one.isMet)
        #expect(try !Objective("p50<1s").objectiveResult(on: LatencyRecord(), failed: 0).isMet)
    }
}
