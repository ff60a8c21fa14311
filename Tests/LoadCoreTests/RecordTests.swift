import FleetProtocol
import Glibc
import Testing

@testable import LoadCore

@Suite("LatencyRecord")
struct RecordTests {
    @Test("latencies from a microsecond to a minute are recorded within a thousandth")
    func precision() throws {
        for us in [1, 93, 214, 1_999, 20_000, 5_000_000, 60_000_000] {
            var record = LatencyRecord()
            record.record(.microseconds(us))
            let figures = record.figures
            for reported in [figures.mean, figures.p50, figures.p999] {
                #expect(abs(try #require(reported) / Double(us) - 1) <= 0.001 + 0.1 / Double(us))
            }
            #expect(figures.max == Double(us))
            #expect(figures.count == 1)
        }
    }

    @Test("a distribution ends with the longest latency, and counts all")
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

    @Test("no figure, point or line of HdrHistogram's file is above the longest latency")
    func longest() throws {
        var record = LatencyRecord()
        for us in [7_202.2, 3_600, 93.4] { record.record(.microseconds(us)) }
        #expect(record.figures.max == 7_202.2)
        #expect(record.distribution.last?.us == 7_202.2)
        let lines = record.percentileFile.split(separator: "\n")
        #expect(lines.contains("#[Max     =        7.202, Total count    =            3]"))
        let last = try #require(lines.last { !$0.hasPrefix("#") })
        #expect(last == "       7.202 1.000000000000          3")
    }

    @Test("HdrHistogram's file has the columns that its tools read")
    func percentileFile() {
        var record = LatencyRecord()
        for us in 1...1_000 { record.record(.microseconds(us)) }
        let lines = record.percentileFile.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(
            lines.prefix(4) == [
                "       Value     Percentile TotalCount 1/(1-Percentile)", "",
                "       0.001 0.000000000000          1           1.00",
                "       0.100 0.100000000000        100           1.11",
            ])
        #expect(
            lines.suffix(4) == [
                "#[Mean    =        0.501, StdDeviation   =        0.289]",
                "#[Max     =        1.000, Total count    =         1000]",
                "#[Buckets =           10, SubBuckets     =         2048]", "",
            ])
        let empty = LatencyRecord().percentileFile
        #expect(empty.contains("#[Max     =        0.000, Total count    =            0]\n"))
    }

    @Test("percentiles of many latencies are within a thousandth of the sorted values")
    func percentiles() throws {
        var record = LatencyRecord()
        var generator = SeededGenerator(seed: 1)
        let latencies = (0..<10_000).map { _ in
            Int64.random(in: 0..<1 << Int64.random(in: 4..<38, using: &generator), using: &generator)
        }
        for nanoseconds in latencies { record.record(.nanoseconds(nanoseconds)) }
        let sorted = latencies.sorted()
        for (percentile, rank) in [(50.0, 5_000), (90, 9_000), (99, 9_900), (99.9, 9_990), (100, 10_000)] {
            let us = Double(sorted[rank - 1]) / 1_000
            #expect(abs(try #require(record.us(atPercentile: percentile)) - us) <= us * 0.001 + 0.1)
        }
    }

    @Test("a record is empty after a reset and can be used again")
    func reset() {
        var record = LatencyRecord()
        record.record(.seconds(3_600))
        record.record(.microseconds(5))
        record.reset()
        #expect(record.figures == .none)
        record.record(.microseconds(7))
        #expect(record.figures.p50 == 7 && record.figures.max == 7 && record.count == 1)
    }

    @Test("a latency of an hour is recorded within a thousandth")
    func hour() throws {
        var record = LatencyRecord()
        record.record(.seconds(3_600))
        #expect(abs(try #require(record.us(atPercentile: 50)) / 3.6e9 - 1) < 0.001)
    }

    /// The processor time of this thread, in seconds.
    private static func threadSeconds() -> Double {
        var time = timespec()
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }

    @Test("the first latencies in a new record take less than 0.5 ms of processor time")
    func firstLatency() {
        // The first one in a process may load code.
        let took = (0..<5).map { _ in
            var record = LatencyRecord()
            let start = Self.threadSeconds()
            record.record(.microseconds(500))
            record.record(.milliseconds(50))
            return Self.threadSeconds() - start
        }
        #expect(took.dropFirst().max() ?? 1 < 0.000_5)
    }

    @Test("an empty record has nil values, not a latency of zero")
    func nothing() {
        let figures = LatencyRecord().figures
        #expect(figures.count == 0 && figures.p50 == nil && figures.max == nil && figures.mean == nil)
        #expect(LatencyRecord().distribution.isEmpty)
    }

    @Test("seconds count the requests due in them, and old seconds are closed without loss")
    func series() {
        let start = MonotonicTime(nanoseconds: 1_000_000_000)
        var series = SecondSeries(from: start, timeout: .seconds(2))
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
        // Replies arrive in the following second.
        #expect(seconds.map(\.applied) == [0] + Array(repeating: 1, count: 20))
        #expect(seconds.dropLast().allSatisfy { $0.failed == 1 && $0.maxUs == 200_000 })
        #expect(seconds.last?.p99Us == nil)
    }
}
