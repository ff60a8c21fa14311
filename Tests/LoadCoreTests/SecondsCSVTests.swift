import Testing

@testable import LoadCore

@Suite("The seconds of a load as CSV")
struct SecondsCSVTests {
    @Test("a report has a row for each second of each load, with the figures of its JSON")
    func rows() throws {
        let report = try LoadReport.sample(rates: [100, 200])
        let lines = SecondsCSV(of: report).text.split(separator: "\r\n").map(String.init)
        #expect(lines[0] == "load,second,offered,applied,failed,p50_us,p99_us,p999_us,max_us")
        let expected = report.steps.enumerated().flatMap { index, step in
            step.result.perSecond.map { second in
                let latencies = [second.p50Us, second.p99Us, second.p999Us, second.maxUs]
                return "\(index + 1),\(second.second),\(second.offered),\(second.applied),\(second.failed),"
                    + latencies.map { $0.map { "\($0)" } ?? "" }.joined(separator: ",")
            }
        }
        #expect(Array(lines.dropFirst()) == expected && expected.count >= 10)
        let second = try #require(report.last.result.perSecond.first)
        let (p99, p999, max) = (
            try #require(second.p99Us), try #require(second.p999Us), try #require(second.maxUs)
        )
        #expect(p99 <= p999 && p999 <= max)
    }

    @Test("a second without applied toggles has no latencies")
    func empty() throws {
        var run = try VirtualRun(.open(perSecond: 10, duration: .seconds(1)))
        try run.finish { _, _ in .init(delay: .zero, body: nil) }
        let csv = SecondsCSV(of: LoadReport.of(run.result)).text
        #expect(csv.hasSuffix("1,0,10,0,10,,,,\r\n"))
    }
}
