import FleetProtocol
import Foundation
import Testing

@testable import LoadCore

@Suite("Versions compared by their runs")
struct ComparedRunsTests {
    private let rates = [Double](repeating: 500, count: 5)

    @Test("runs that alternated are compared in pairs, and the report keeps both versions")
    func alternating() throws {
        let now = try LoadReport.sample(rates: rates, delay: .milliseconds(3))
        let before = try LoadReport.sample(rates: rates, delay: .milliseconds(2))
        let report = LoadReport(steps: now.steps, baseline: before.steps, environment: .sample())
        #expect(report.isRepeated)
        #expect(try LoadReport(json: report.json) == report)
        let comparison = try #require(LoadComparison(of: report))
        #expect(comparison.isAlternating && comparison.runsBefore == 5 && comparison.runsNow == 5)
        let median = try #require(comparison.rows.first { $0.name == "p50" })
        let estimate = try #require(median.estimate)
        #expect(abs(estimate.change - 0.5) < 0.01 && estimate.verdict == .higher)
        #expect(median.text?.hasPrefix("slower by 50 % ±") == true)
        let throughput = try #require(comparison.rows.first { $0.name == "throughput" })
        #expect(abs(try #require(throughput.estimate).change) < 0.01 && !throughput.isTime)
    }

    @Test("a change whose interval is much longer on one side has both ends of it")
    func skewed() throws {
        let steps = try [2.1, 2.2, 2.1, 9, 12].map { delay in
            try LoadReport.sample(rates: [500], delay: .nanoseconds(Int64(delay * 1e6))).steps[0]
        }
        let before = try LoadReport.sample(rates: rates, delay: .milliseconds(2)).steps
        func text(_ now: [LoadReport.Step], since before: [LoadReport.Step]) throws -> String? {
            let report = LoadReport(steps: now, baseline: before, environment: .sample())
            return try #require(LoadComparison(of: report)).rows.first { $0.name == "p50" }?.text
        }
        let slower = try #require(try text(steps, since: before))
        #expect(slower.contains(/^slower by \d+ %, between \d\.\d % and \d+ %$/), "\(slower)")
        let faster = try #require(try text(before, since: steps))
        #expect(faster.contains(/^faster by \d+ % ± \d+ %$/), "\(faster)")
    }

    @Test("a report without a baseline has no such comparison, and one of other loads is refused")
    func noBaseline() throws {
        let report = try LoadReport.sample(rates: [500, 500])
        #expect(LoadComparison(of: report) == nil)
        let json = LoadReport(steps: report.steps, baseline: report.steps, environment: .sample()).json
        var members = try #require(try JSONSerialization.jsonObject(with: Data(json.utf8)) as? [String: Any])
        members["baseline"] = (members["baseline"] as? [Any]).map { Array($0.dropLast()) }
        let cut = try JSONSerialization.data(withJSONObject: members)
        #expect(throws: PlanError.self) { try LoadReport(json: String(decoding: cut, as: UTF8.self)) }
    }

    @Test("single runs have no interval, and the report names the option that gives one")
    func singleRuns() throws {
        let report = try LoadReport.sample()
        let comparison = LoadComparison(of: report, with: report)
        #expect(comparison.rows.allSatisfy { $0.estimate == nil && $0.text == nil })
        #expect(comparison.basis.contains("--repeat 7"))
    }

    @Test("loads of several rates are a sweep, not runs of one load")
    func sweep() throws {
        #expect(try !LoadReport.sample(rates: [500, 600]).isRepeated)
        #expect(try !LoadReport.sample(rates: [500]).isRepeated)
    }

    @Test("turns of a load are joined to one measurement with whole seconds")
    func joinedTurns() throws {
        let plan = try LoadPlan.open(perSecond: 400, duration: .seconds(3))
        var (recordings, offered, applied) = ([LoadRecording](), 0, 0)
        for number in 0..<12 {
            let part = try plan.part(lasting: .milliseconds(250), number: UInt64(number))
            var run = VirtualRun(part, isShared: true)
            try run.finish { message, _ in
                .init(delay: .milliseconds(1 + number), body: message.report())
            }
            offered += run.result.offered
            applied += run.result.applied
            recordings.append(run.load.recording)
        }
        let joined = try LoadMeasurement(of: plan, joining: recordings, against: [try Objective("max<9ms")])
        #expect(joined.result.offered == offered && joined.result.applied == applied)
        #expect(joined.result.durationSeconds == 3 && joined.result.isComplete)
        #expect(joined.result.perSecond.map(\.second) == [0, 1, 2])
        #expect(joined.result.perSecond.reduce(0) { $0 + $1.offered } == offered)
        #expect(abs(try #require(joined.result.latencyUs.max) - 12_000) < 20)
        #expect(joined.objectiveResults.map(\.isMet) == [false])
    }
}
