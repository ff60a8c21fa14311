import Testing

@testable import LoadCore

@Suite("Conditions that end a load early")
struct AbortConditionTests {
    /// The progress of a second with a latency; nil for a second without an applied toggle.
    private func second(_ number: Int, _ latency: Duration?, inFlight: Int = 1) -> LoadProgress {
        var record = LatencyRecord()
        if let latency { record.record(latency) }
        return LoadProgress(
            elapsed: .seconds(number), duration: .seconds(60), inFlight: inFlight,
            totals: .init(
                offered: 1, applied: 1, failed: 0, outcomes: ["applied": 1], recent: record.figures,
                whole: record.figures))
    }

    @Test("a condition holds once every second of its time was above the limit")
    func holds() throws {
        var condition = try AbortCondition("p99 > 50ms / 3s")
        let latencies: [Duration] = [60, 60, 40, 60, 60, 60].map { .milliseconds($0) }
        let held = latencies.enumerated().map { condition.holds(after: second($0 + 1, $1)) }
        #expect(held == [false, false, false, false, false, true])
        #expect(condition.text == "p99>50ms/3s")
    }

    @Test("a second without an applied toggle is above any limit while requests are in flight")
    func stalled() throws {
        var condition = try AbortCondition("max>10s")
        let held = [0, 3].map { condition.holds(after: second(1, nil, inFlight: $0)) }
        #expect(held == [false, true])
    }

    @Test("seconds of the warm-up do not count")
    func warmup() throws {
        var condition = try AbortCondition("p50>1ms")
        let held = [-1, 1].map { condition.holds(after: second($0, .seconds(1))) }
        #expect(held == [false, true])
    }

    @Test(
        "a text that is not a condition is refused with the wrong part",
        arguments: [
            ("p99<5ms", "no `>`"), ("p98>5ms", "p50, p90"), ("p99>5", "us, ms or s"),
            ("p99>0ms", "above 0"), ("p99>5ms/", "1s to 3600s"), ("p99>5ms/0s", "1s to 3600s"),
            ("p99>5ms/2s/3s", "1s to 3600s"),
        ])
    func refused(text: String, part: String) {
        expectRefusal(part) { try AbortCondition(text) }
    }
}
