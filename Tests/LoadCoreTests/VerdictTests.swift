import FleetProtocol
import FleetTime
import Testing

@testable import LoadCore

@Suite("Verdicts on objectives")
struct VerdictTests {
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
    func verdicts(text: String, isMet: Bool) throws {
        let verdict = try Objective(text).verdict(on: Self.latencies(upToMs: 100), failed: 0)
        #expect(verdict.isMet == isMet, "\(verdict)")
        #expect(verdict.slo == text)
    }

    @Test(
        "a failed toggle counts as slower than all others",
        arguments: [(0, 90.0), (1, 91), (10, 99), (11, 100)])
    func failures(failed: Int, valueMs: Double) throws {
        let verdict = try Objective("p90<200ms").verdict(on: Self.latencies(upToMs: 100), failed: failed)
        #expect(verdict.isMet)
        #expect(abs(try #require(verdict.valueUs) / 1_000 - valueMs) < 0.2)
    }

    @Test("an objective is missed if more toggles failed than it leaves out")
    func tooManyFailures() throws {
        let verdict = try Objective("p90<200ms").verdict(on: Self.latencies(upToMs: 100), failed: 12)
        #expect(verdict == ObjectiveResult(slo: "p90<200ms", isMet: false, valueUs: nil))
        let one = try Objective("max<200ms").verdict(on: Self.latencies(upToMs: 100), failed: 1)
        #expect(!one.isMet)
        #expect(try !Objective("p50<1s").verdict(on: LatencyRecord(), failed: 0).isMet)
    }
}
