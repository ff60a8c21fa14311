import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Counters since the start")
struct ActivityTests {
    private static func outcome(
        _ outcome: Outcome, totalUs: UInt64 = 210, at: WallTime = Fixture.start.wall
    ) throws -> ObserverEvent {
        let report = try Fixture.report(outcome, of: .toggle, totalUs: totalUs)
        return ObserverEvent(at: at, .outcome(FleetEvent.Outcome(report: report, device: nil, before: nil)))
    }

    @Test("outcomes are counted by their reason, without those before the start")
    func outcomes() throws {
        var activity = Activity()
        let state = Fixture.state(on: true, version: 2)
        activity.handle(try Self.outcome(.applied(state)))
        activity.sample(try ReplicaDriver.whole().replica, at: Fixture.start)
        activity.handle(try Self.outcome(.applied(state), at: Fixture.start.wall.advanced(by: .seconds(-1))))
        for outcome in [
            Outcome.applied(state), .applied(state), .unchanged(state), .cancelled, .expired,
            .conflict(state),
            .rejected("fan"), .rejected("mode"),
        ] {
            activity.handle(try Self.outcome(outcome))
        }
        #expect(activity.applied == 2)
        #expect(activity.failures == [2, 1, 1, 0])
        let wide = ActivityLine.line(of: activity, width: 120).text
        #expect(wide.hasPrefix("applied 2  failed 4 (2 rejected, 1 conflict, 1 expired)  "))
        #expect(ActivityLine.line(of: activity, width: 80).text.hasPrefix("applied 2  failed 4  "))
        for width in 20...200 {
            let line = ActivityLine.line(of: activity, width: width)
            #expect(line.width <= width, "\(line.text)")
        }
    }

    @Test("the time offline is summed over devices, and not counted while the replica is not up to date")
    func offline() throws {
        var driver = try ReplicaDriver.whole((0..<4).map { Fixture.row($0, isConnected: $0 > 1) })
        var activity = Activity()
        activity.sample(driver.replica, at: driver.now)
        driver.now = driver.now.advanced(by: .seconds(90))
        activity.sample(driver.replica, at: driver.now)
        #expect(activity.offline == .seconds(180))
        #expect(ActivityLine.line(of: activity, width: 100).text.contains("  offline 3 min  "))
        driver.step(.connection(.failed("refused")))
        driver.now = driver.now.advanced(by: .seconds(90))
        activity.sample(driver.replica, at: driver.now)
        #expect(activity.offline == .seconds(180))
    }

    @Test("each second has the rate and percentiles of its toggles, and a plot the last ones")
    func intervals() throws {
        let replica = try ReplicaDriver.whole().replica
        var activity = Activity()
        var now = Fixture.start
        activity.sample(replica, at: now)
        for second in 1...70 {
            for number in 1...100 {
                let state = Fixture.state(version: 2)
                activity.handle(
                    try Self.outcome(.applied(state), totalUs: UInt64(number * 10 * second), at: now.wall))
            }
            now = now.advanced(by: .seconds(1))
            activity.sample(replica, at: now)
        }
        #expect(activity.plotted.count == Activity.intervals)
        let last = try #require(activity.plotted.last)
        #expect(last.applied == 100)
        #expect((30_625...35_000).contains(last.p50Us))
        #expect((60_637...69_300).contains(last.p99Us))
        let line = ActivityLine.line(of: activity, width: 100).text
        #expect(line.contains("██████ 100/s  p99 "))
        now = now.advanced(by: .seconds(2))
        activity.sample(replica, at: now)
        #expect(activity.plotted.last == Activity.Interval(applied: 0, p50Us: 0, p99Us: 0))
    }

    @Test(
        "percentiles are accurate to an eighth",
        arguments: [0, 1, 7, 8, 9, 15, 16, 1_000, 123_456, 1 << 40] as [UInt64])
    func percentiles(latency: UInt64) {
        var latencies = LatencyCounts()
        #expect(latencies.percentile(99) == 0)
        latencies.add(microseconds: latency)
        for percent in [50, 99] {
            let found = UInt64(latencies.percentile(percent))
            #expect(found <= latency && latency - found <= latency / 8)
        }
    }
}
