import FleetProtocol
import Testing

@testable import LoadCore

/// The accuracy of load measurements, against fleets of known latency.
@Suite("Accuracy of a load's measurements")
struct HonestyTests {
    private static let served: Duration = .microseconds(200)

    /// A fleet that does nothing in the first 100 ms of each second.
    private static func stalling(_ message: LoadMessage, at elapsed: Duration) -> VirtualRun.Reply {
        let nanoseconds = elapsed.wholeNanoseconds % 1_000_000_000
        let stall = Duration.nanoseconds(max(0, 100_000_000 - nanoseconds))
        return .init(delay: stall + served, body: message.report())
    }

    @Test("a constant delay is measured within 2 percent", arguments: Arrivals.allCases)
    func constantDelay(arrivals: Arrivals) throws {
        var run = try VirtualRun(.open(perSecond: 2_000, arrivals))
        try run.finish { message, _ in .init(delay: .milliseconds(20), body: message.report()) }
        let result = run.result
        let latencies = [result.latencyUs, result.serviceUs].flatMap {
            [$0.mean, $0.p50, $0.p99, $0.p999, $0.max]
        }
        for us in latencies { #expect(abs(try #require(us) / 20_000 - 1) < 0.02) }
        #expect(abs(result.offeredPerSecond / 2_000 - 1) < 0.05)
        #expect(result.applied == result.offered && result.failed == 0)
        #expect(result.outcomes == ["applied": result.applied])
        #expect(result.isComplete)
    }

    @Test("a stall of 100 ms each second shows in an open loop's p99", arguments: Arrivals.allCases)
    func stallInOpenLoop(arrivals: Arrivals) throws {
        var run = try VirtualRun(.open(perSecond: 1_000, arrivals))
        try run.finish(Self.stalling)
        // A tenth of all requests are due during a stall, and a tenth of these wait for 90 ms or more.
        let latency = run.result.latencyUs
        #expect(abs(try #require(latency.p99) / 90_200 - 1) < 0.05)
        #expect(try #require(latency.p50) < 300)
        #expect(abs(try #require(latency.max) / 100_200 - 1) < 0.05)
    }

    @Test("a closed loop with one request in flight hides stalls, as it sends nothing during them")
    func stallInClosedLoop() throws {
        var run = try VirtualRun(LoadPlan(.inFlight(1), duration: .seconds(10)))
        try run.finish(Self.stalling)
        let result = run.result
        #expect(try #require(result.latencyUs.p99) < 300)
        #expect(try #require(result.latencyUs.max) > 99_000)
        // One request every 200 µs, except for a tenth of the time.
        #expect(abs(result.throughputPerSecond / 4_500 - 1) < 0.02)
        #expect(result.plan.ratePerSecond == nil && result.plan.inFlight == 1)
    }

    @Test("the tester's own lateness is part of the latency, and is reported")
    func lateTester() throws {
        var run = try VirtualRun(.open(perSecond: 100))
        try run.finish(lateness: .milliseconds(3)) { message, _ in
            .init(delay: .milliseconds(1), body: message.report())
        }
        let result = run.result
        #expect(abs(try #require(result.testerLateUs.p99) / 3_000 - 1) < 0.02)
        #expect(abs(try #require(result.latencyUs.p50) / 4_000 - 1) < 0.02)
        #expect(abs(try #require(result.serviceUs.p50) / 1_000 - 1) < 0.02)
    }

    @Test("a blocked connection shows in the latency, and not in the service time")
    func blocked() throws {
        var run = try VirtualRun(.open(perSecond: 100, duration: .seconds(2)))
        try run.finish(isBlocked: { $0 < .milliseconds(500) }) { message, _ in
            .init(delay: .milliseconds(1), body: message.report())
        }
        let result = run.result
        #expect(result.applied == result.offered)
        #expect(try #require(result.testerLateUs.max) == 0)
        #expect(abs(try #require(result.latencyUs.max) / 501_000 - 1) < 0.02)
        #expect(try #require(result.serviceUs.max) < 1_100)
        #expect(abs(try #require(result.hops.testerUs.max) / 500_000 - 1) < 0.02)
    }

    @Test("requests are sent at their due times without replies, and end at their timeout")
    func silence() throws {
        var run = try VirtualRun(.open(perSecond: 50, duration: .seconds(2)))
        try run.finish { _, _ in .init(delay: .zero, body: nil) }
        let result = run.result
        #expect(Set(run.sent.map(\.message.requestID)).count == 100)
        #expect(result.outcomes == ["noAnswer": 100])
        #expect(result.failed == 100 && result.applied == 0)
        #expect(result.latencyUs == LatencyRecord().figures)
        // The last request was due within the last second; its five seconds and one second of grace follow.
        let took = VirtualRun.start.duration(to: run.now)
        #expect(took > .seconds(7) && took < .seconds(8.1))
    }

    @Test("requests of the warm-up are sent and not counted, even if their replies are late")
    func warmup() throws {
        let plan = try LoadPlan.open(perSecond: 100, warmup: .seconds(3), duration: .seconds(2))
        var run = VirtualRun(plan)
        try run.finish { message, elapsed in
            .init(delay: elapsed < .seconds(3) ? .seconds(4) : .milliseconds(1), body: message.report())
        }
        let result = run.result
        #expect(Set(run.sent.map(\.message.requestID)).count == 500)
        #expect(result.offered == 200 && result.applied == 200)
        #expect(try #require(result.latencyUs.max) < 1_100)
        #expect(result.offeredPerSecond == 100)
        #expect(result.perSecond.map(\.offered) == [100, 100])
    }

    @Test("the warm-up is recorded and shown like the measurement, and is not part of the result")
    func recordedWarmup() throws {
        let plan = try LoadPlan.open(perSecond: 100, warmup: .seconds(3), duration: .seconds(2))
        var run = VirtualRun(plan)
        var progress: [LoadProgress] = []
        try run.finish(
            watching: { load, now in
                let elapsed = VirtualRun.start.duration(to: now)
                guard elapsed >= .seconds(progress.count + 1) else { return }
                progress.append(load.progress(at: now))
            }
        ) { message, elapsed in
            .init(delay: elapsed < .seconds(3) ? .milliseconds(40) : .milliseconds(1), body: message.report())
        }
        #expect(progress.map(\.totals.offered) == [100, 200, 0, 100])
        #expect(progress.map(\.elapsed) == [-2, -1, 0, 1].map { .seconds($0) })
        #expect(progress.map(\.totals.recent.count) == [97, 100, 0, 100])
        #expect(progress.map(\.totals.whole.count) == [97, 197, 0, 100])
        #expect(
            progress.map(\.totals.outcomes) == [97, 197, nil, 100].map { $0.map { ["applied": $0] } ?? [:] })
        #expect(progress.map(\.totals.recent.max).prefix(2) == [40_000, 40_000])
        #expect(run.result.offered == 200 && run.result.latencyUs.max == 1_000)
    }

    @Test("a rehearsal executes a whole load with cancels and repeats in virtual time")
    func rehearsal() throws {
        let plan = try LoadPlan.open(perSecond: 10_000, connections: 4, cancelRatio: 0.2, retryRatio: 0.2)
        let token = try #require(Token([UInt8](repeating: 1, count: Token.length)))
        let result = LoadRehearsal.run(plan, token: token)
        #expect(result.offered > 300 && result.failed == 0)
        #expect(result.outcomes == ["applied": result.offered])
        #expect(try #require(result.latencyUs.max) < 10)
        let (cancels, retries) = (try #require(result.cancels), try #require(result.retries))
        #expect(cancels.pending > 20 && retries.alike > 20 && retries.different == 0)
        // The oldest seconds were closed, as in a long load.
        #expect(result.perSecond.count > 8)
    }

    @Test("the result has the resource use of the measurement without the warm-up")
    func threadUse() throws {
        var run = try VirtualRun(.open(perSecond: 10, warmup: .seconds(2), duration: .seconds(3)))
        var seconds = 0
        try run.finish(
            watching: { load, now in
                guard VirtualRun.start.duration(to: now) >= .seconds(seconds) else { return }
                let used = seconds < 3 ? 1_000 * seconds : 2_000 + 7 * (seconds - 2)
                load.record(
                    ThreadUse(
                        processorSeconds: Double(used), waitedSeconds: Double(used) / 2, pageFaults: used),
                    at: now)
                seconds += 1
            }
        ) { message, _ in .init(delay: .milliseconds(1), body: message.report()) }
        let use = try #require(run.result.testerUse)
        #expect(use.pageFaults == 14 && use.processorSeconds == 14 && use.waitedSeconds == 7)
        #expect(
            run.result.testerUseText == "its thread waited 7.00 s for a processor, and had 14 page faults")
    }
}
