import FleetProtocol
import Testing

@testable import LoadCore

/// Loads whose rate changes.
@Suite("Ramps")
struct RampTests {
    private static let start = MonotonicTime(nanoseconds: 2_000_000_000)

    /// The due times of a ramp, in seconds since its start, and since the warm-up before it.
    private func times(
        _ ramp: RateRamp, _ arrivals: Arrivals, seed: UInt64 = 1, warmup: Duration = .zero
    ) -> [Double] {
        var schedule = ArrivalSchedule(
            arrivals, at: RateCurve(ramp, after: warmup), from: Self.start, seed: seed)
        var times: [Double] = []
        while schedule.next != .never {
            times.append(Self.start.duration(to: schedule.advance()) / .seconds(1))
        }
        return times
    }

    /// A ramp of one to five stages, some of them constant and some without requests.
    private func randomRamp(_ seed: UInt64) throws -> RateRamp {
        var generator = SeededGenerator.derived(seed: seed, purpose: 9)
        let stages = (0..<Int.random(in: 1...5, using: &generator)).map { _ in
            let rates = (0..<2).map { _ in Int.random(in: 0...4, using: &generator) * 50 }
            let seconds = Int.random(in: 1...6, using: &generator)
            return Bool.random(using: &generator)
                ? "\(rates[0])..\(rates[1])/\(seconds)s" : "\(rates[0])/\(seconds * 250)ms"
        }
        return try RateRamp((stages + ["5..20/1s"]).joined(separator: ","))
    }

    /// The integral of the rate up to a time, by summing its stages.
    private func integral(of ramp: RateRamp, upTo time: Double) -> Double {
        var (left, sum) = (time, 0.0)
        for stage in ramp.stages where left > 0 {
            let part = min(left, stage.seconds)
            let rateThen = stage.from + (stage.to - stage.from) * part / stage.seconds
            sum += (stage.from + rateThen) / 2 * part
            left -= part
        }
        return sum
    }

    @Test(
        "requests with equal gaps follow the integral of the rate within one at every time",
        arguments: 1...100)
    func uniform(seed: Int) throws {
        let ramp = try randomRamp(UInt64(seed))
        let times = times(ramp, .uniform)
        #expect(times == times.sorted())
        #expect(abs(Double(times.count) - ramp.requests) <= 1)
        for (index, time) in times.enumerated() {
            #expect(abs(integral(of: ramp, upTo: time) - Double(index)) < 1e-4, "\(ramp.text) at \(time)")
        }
        #expect(times.allSatisfy { $0 <= ramp.duration / .seconds(1) })
    }

    @Test("a Poisson process follows the integral of the rate within its deviation", arguments: 1...100)
    func poisson(seed: Int) throws {
        let ramp = try randomRamp(UInt64(seed))
        let times = times(ramp, .poisson, seed: UInt64(seed))
        #expect(times == times.sorted())
        let length = ramp.duration / .seconds(1)
        for time in [length / 3, length / 2, length] {
            let expected = integral(of: ramp, upTo: time)
            // A Poisson count deviates by the root of its mean, and practically never by five times that.
            #expect(abs(Double(times.count { $0 <= time }) - expected) <= 5 * expected.squareRoot() + 5)
        }
    }

    @Test("the same seed gives the same times, and another seed others")
    func seeds() throws {
        let ramp = try RateRamp("10..200/5s,200/1s")
        #expect(times(ramp, .poisson) == times(ramp, .poisson))
        #expect(times(ramp, .poisson) != times(ramp, .poisson, seed: 2))
    }

    @Test("the gaps of a Poisson process on a ramp are exponential in the integral of the rate")
    func gaps() throws {
        let ramp = try RateRamp("0..20000/10s")
        let means = times(ramp, .poisson).map { integral(of: ramp, upTo: $0) }
        let gaps = zip(means, means.dropFirst()).map { $1 - $0 }
        let mean = gaps.reduce(0, +) / Double(gaps.count)
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(gaps.count)
        #expect(abs(mean - 1) < 0.02 && abs(variance.squareRoot() - 1) < 0.03)
    }

    @Test("the warm-up has the first rate of the ramp")
    func warmup() throws {
        let times = times(try RateRamp("100..300/2s"), .uniform, warmup: .seconds(3))
        #expect(times.count == 700 && times.count { $0 < 3 } == 300)
    }

    @Test("the seconds of a load show its ramp, in a report that keeps it")
    func load() throws {
        let ramp = try RateRamp("100..500/4s,500/2s,500..0/1s")
        let plan = try LoadPlan(.ramp(ramp, .uniform), warmup: .seconds(1), duration: ramp.duration)
        var run = VirtualRun(plan)
        try run.finish { message, _ in .init(delay: .milliseconds(1), body: message.report()) }
        let result = run.result
        #expect(result.perSecond.map(\.offered) == [150, 250, 350, 450, 500, 500, 250])
        #expect(result.offered == 2_450 && result.applied == 2_450)
        #expect(result.plan.ramp == ramp.text && result.plan.ratePerSecond == nil)
        #expect(try result.plan.plan() == plan)
        let report = LoadReport.of(result)
        #expect(try LoadReport(json: report.json) == report)
        #expect(HTMLReport(report).text.contains("ramp 100..500/4s,500/2s,500..0/1s, uniform"))
    }

    @Test("testers share a Poisson ramp, and equal gaps are refused")
    func testers() throws {
        let ramp = try RateRamp("100..500/4s")
        func plan(_ arrivals: Arrivals) throws -> LoadPlan {
            try LoadPlan(.ramp(ramp, arrivals), duration: ramp.duration)
        }
        let load = try SharedLoad(try plan(.poisson), selectors: [], among: 4, isLast: true)
        #expect(try SharedLoad(json: load.json) == load)
        let parts = try (0..<4).map { try load.part(of: $0, among: 4) }
        for part in parts {
            guard case .ramp(let part, .poisson) = part.demand else {
                Issue.record("another demand")
                continue
            }
            #expect(part.requests == 300 && part.peak == 125)
        }
        #expect(throws: PlanError.self) {
            try SharedLoad(try plan(.uniform), selectors: [], among: 4, isLast: true)
        }
        #expect(throws: PlanError.self) {
            try SharedLoad(
                try LoadPlan(.ramp(try RateRamp("1/2s"), .poisson), duration: .seconds(2)), selectors: [],
                among: 3, isLast: true)
        }
    }

    @Test("a ramp has no parts, and the duration of its stages")
    func durations() throws {
        let ramp = try RateRamp(" 1.5..2.5/1.5s, 10/500ms")
        #expect(ramp.duration == .seconds(2) && ramp.text == "1.5..2.5/1.5s,10/500ms")
        #expect(throws: PlanError.self) { try LoadPlan(.ramp(ramp, .poisson), duration: .seconds(3)) }
        let plan = try LoadPlan(.ramp(ramp, .poisson), duration: .seconds(2))
        #expect(throws: PlanError.self) { try plan.part(lasting: .seconds(1), number: 1) }
    }

    @Test(
        "a text that is not a ramp is refused, with the wrong part",
        arguments: [
            ("", "in place of ''"), ("100", "in place of '100'"), ("100..200", "in place of '100..200'"),
            ("100..200/", "a time such as 60s in place of ''"), ("100..200/5", "in place of '5'"),
            ("100..200/0s", "in place of '0s'"), ("100..200/25h", "in place of '25h'"),
            ("..200/5s", "in place of '..200'"), ("100../5s", "in place of '100..'"),
            ("100...200/5s", "in place of '100...200'"), ("1..2..3/5s", "in place of '1..2..3'"),
            ("-1..2/5s", "in place of '-1..2'"), ("1e3/5s", "in place of '1e3'"), ("nan/5s", "of 'nan'"),
            ("5/1s,", "in place of ''"), ("5/1s,,6/1s", "in place of ''"), ("5/1s/2s", "in place of"),
            ("1..1000001/5s", "at most 1000000"), ("0/5s", "no request is due"),
            (Array(repeating: "5/1s", count: 101).joined(separator: ","), "more than 100 stages"),
        ])
    func wrong(text: String, reason: String) {
        expectRefusal("is not a ramp such as", reason) { try RateRamp(text) }
    }

    @Test("a ramp is not longer than any load")
    func tooLong() throws {
        let ramp = try RateRamp("5/20h,5/20h")
        #expect(throws: PlanError.self) { try LoadPlan(.ramp(ramp, .poisson), duration: ramp.duration) }
    }
}
