import Stepping
import Testing

@testable import LoadCore

@Suite("What is measured")
struct RecordTests {
    @Test("every latency is kept within a thousandth, from a microsecond to a minute")
    func precision() throws {
        for us in [1, 93, 214, 1_999, 20_000, 5_000_000, 60_000_000] {
            var record = LatencyRecord()
            record.record(.microseconds(us))
            let figures = record.figures
            for told in [figures.mean, figures.p50, figures.p999] {
                #expect(abs(try #require(told) / Double(us) - 1) <= 0.001 + 0.1 / Double(us))
            }
            #expect(figures.max == Double(us))
            #expect(figures.count == 1)
        }
    }

    @Test("a distribution ends with the longest, and counts all")
    func distribution() throws {
        var record = LatencyRecord()
        for us in 1...1_000 { record.record(.microseconds(us)) }
        let points = record.distribution
        #expect(points.last?.percentile == 100 && points.last?.count == 1_000)
        #expect(
            zip(points, points.dropFirst()).allSatisfy { $0.us <= $1.us && $0.percentile < $1.percentile })
        let half = try #require(points.first { $0.percentile >= 50 })
        #expect(abs(half.us - 500) < 2)
    }

    @Test("nothing measured is nil, not a latency of zero")
    func nothing() {
        let figures = LatencyRecord().figures
        #expect(figures.count == 0 && figures.p50 == nil && figures.max == nil && figures.mean == nil)
        #expect(LatencyRecord().distribution.isEmpty)
    }

    @Test("seconds have what was due in them, and old ones are closed without being lost")
    func series() {
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        var series = SecondSeries(from: start, patience: .seconds(2))
        for second in 0..<20 {
            let due = start.advanced(by: .seconds(second) + .milliseconds(900))
            series.offered(at: due)
            series.offered(at: due)
            series.applied(
                intended: due, answeredAt: due.advanced(by: .milliseconds(200)), latency: .milliseconds(200))
            series.failed(intended: due)
        }
        let seconds = series.seconds
        #expect(seconds.map(\.second) == Array(0...20))
        #expect(seconds.map(\.offered) == Array(repeating: 2, count: 20) + [0])
        // Answers come in the second after.
        #expect(seconds.map(\.applied) == [0] + Array(repeating: 1, count: 20))
        #expect(seconds.dropLast().allSatisfy { $0.failed == 1 && $0.maxUs == 200_000 })
        #expect(seconds.last?.p99Us == nil)
    }
}
