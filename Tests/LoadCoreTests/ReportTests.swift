import Foundation
import Testing
import UserText

@testable import LoadCore

@Suite("Reports of a load")
struct ReportTests {
    private func members(_ report: LoadReport) throws -> [String: Any] {
        try #require(JSONSerialization.jsonObject(with: Data(report.json.utf8)) as? [String: Any])
    }

    @Test("the JSON report is one line with the keys that scripts use")
    func keys() throws {
        let report = try LoadReport.sample()
        #expect(!report.json.contains("\n"))
        let members = try members(report)
        for key in ["offeredPerSecond", "throughputPerSecond", "durationSeconds"] {
            #expect(members[key] is Double || members[key] is Int, "\(key)")
        }
        let outcomes = try #require(members["outcomes"] as? [String: Int])
        #expect(outcomes["applied"] == report.last.result.outcomes["applied"])
        for key in ["latencyUs", "serviceUs", "testerLateUs"] {
            let figures = try #require(members[key] as? [String: Any])
            #expect(Set(["p50", "p90", "p99", "p999", "max"]).isSubset(of: figures.keys), "\(key)")
        }
        #expect((members["environment"] as? [String: Any])?["libzmq"] as? String == "4.3.4")
        #expect(members["steps"] == nil)
    }

    @Test("without measurements a latency is null, and its key is present")
    func nulls() throws {
        var run = try VirtualRun(.open(perSecond: 10, duration: .seconds(1)))
        try run.finish { _, _ in .init(delay: .zero, body: nil) }
        let report = LoadReport.of(run.result)
        let latency = try #require(try members(report)["latencyUs"] as? [String: Any])
        #expect(latency["p99"] is NSNull)
        #expect(try LoadReport(json: report.json) == report)
    }

    @Test("a written report is read unchanged", arguments: [[500.0], [100, 200, 400]])
    func roundTrip(rates: [Double]) throws {
        let report = try LoadReport.sample(rates: rates)
        #expect(try LoadReport(json: report.json) == report)
        #expect(try LoadReport(json: report.json + "\n").steps.count == rates.count)
    }

    @Test("the report of a sweep has the last load at the top level, and all loads as steps")
    func sweep() throws {
        let report = try LoadReport.sample(rates: [100, 200])
        let members = try members(report)
        let steps = try #require(members["steps"] as? [[String: Any]])
        #expect(steps.count == 2)
        #expect(members["offered"] as? Int == report.steps[1].result.offered)
        #expect(steps[0]["offered"] as? Int == report.steps[0].result.offered)
        #expect((steps[0]["slos"] as? [[String: Any]])?.first?["slo"] as? String == "p99<5ms")
    }

    @Test("the report of a self-test has its target and the tester's floor")
    func selfTest() throws {
        let sample = try LoadReport.sample()
        let report = LoadReport(steps: sample.steps, environment: .sample(), target: .echo)
        let floor = try #require(try members(report)["floorUs"] as? [String: Any])
        #expect(floor["p999"] as? Double == sample.last.result.latencyUs.p999)
        #expect(try members(report)["target"] as? String == "echo")
        #expect(try LoadReport(json: report.json) == report)
        #expect(LoadComparison(of: report, with: sample).differences == ["target echo, was fleet"])
        #expect(HTMLReport(report).text.contains("self-test of the load tester"))
        // Reports of earlier versions have no target.
        let old = sample.json.replacingOccurrences(of: ",\"target\":\"fleet\"", with: "")
        #expect(old != sample.json)
        #expect(try LoadReport(json: old).target == .fleet)
        #expect(sample.floorUs == nil)
    }

    @Test("an invalid report is refused", arguments: ["", "{}", "[1]", "{\"steps\":[],\"environment\":{}}"])
    func noReport(json: String) {
        #expect(throws: PlanError.self) { try LoadReport(json: json) }
    }

    @Test("a comparison has the growth of each figure, and the different settings")
    func comparison() throws {
        let before = try LoadReport.sample(rates: [500], delay: .milliseconds(2))
        let now = try LoadReport.sample(rates: [500], delay: .milliseconds(3), environment: .sample(cores: 8))
        let comparison = LoadComparison(of: now, with: before)
        let median = try #require(comparison.rows.first { $0.name == "p50" })
        #expect(abs(try #require(median.growth) - 0.5) < 0.01 && median.isTime)
        #expect(comparison.differences == ["cores 8, was 2"])
        var machine = LoadEnvironment.sample()
        machine.scenario = "lively"
        let lively = try LoadReport.sample(environment: machine)
        #expect(LoadComparison(of: lively, with: before).differences == ["scenario lively, was quiet"])
        // A report of an earlier release does not name it.
        machine.scenario = nil
        let unknown = try LoadReport.sample(environment: machine)
        #expect(LoadComparison(of: lively, with: unknown).differences.isEmpty)
        // In a sweep, the load of the same rate is compared.
        let swept = try LoadReport.sample(rates: [500, 100], delay: .milliseconds(2))
        let other = LoadComparison(of: now, with: swept)
        #expect(other.before.plan.ratePerSecond == 500)
    }

    @Test("the percentile file has the format of HdrHistogram's tools, in milliseconds")
    func percentileFile() throws {
        var run = try VirtualRun(.open(perSecond: 1_000))
        try run.finish { message, _ in .init(delay: .milliseconds(20), body: message.report()) }
        let lines = run.load.measurement(against: []).percentileFile.split(separator: "\n")
        let heading = lines[0].split(separator: " ")
        #expect(heading == ["Value", "Percentile", "TotalCount", "1/(1-Percentile)"])
        let rows = lines.dropFirst().filter { !$0.hasPrefix("#") }.map { line in
            line.split(separator: " ").compactMap { Double($0) }
        }
        #expect(rows.count > 1)
        #expect(rows.allSatisfy { $0.count >= 3 && abs($0[0] - 20) < 0.05 && $0[1] <= 1 })
        #expect(rows.last?[1] == 1 && rows.last?[2] == 10_000)
        #expect(lines.contains { $0.hasPrefix("#[Mean") } && lines.contains { $0.hasPrefix("#[Max") })
    }

    @Test(
        "times are printed with three digits and a unit",
        arguments: [
            (nil, "–"), (0.0, "0 µs"), (93.42, "93.4 µs"), (214, "214 µs"), (999.6, "1.00 ms"),
            (1_234, "1.23 ms"), (39_100, "39.1 ms"), (999_600, "1.00 s"), (12_345_678, "12.3 s"),
        ] as [(Double?, String)])
    func times(us: Double?, text: String) {
        #expect(FigureText.time(us: us) == text)
    }

    @Test("numbers are printed with thousands separators, and ratios with a sign")
    func numbers() {
        #expect(
            [0, 999, 1_000, 50_031, 1_234_567, -4_200].map(FigureText.count) == [
                "0", "999", "1,000", "50,031", "1,234,567", "-4,200",
            ])
        #expect(
            FigureText.rate(4_998.4) == "4,998/s" && FigureText.rate(0.5) == "0.5/s"
                && FigureText.rate(0) == "0/s")
        #expect(FigureText.growth(0.07) == "+7.0 %" && FigureText.growth(-0.5) == "−50.0 %")
    }
}
