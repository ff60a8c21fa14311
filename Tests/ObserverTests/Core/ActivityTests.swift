import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

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

@Suite("Notifications")
struct NotificationTests {
    private static func driver() throws -> ReplicaDriver {
        try .whole([Fixture.row(1, name: "-x Attic\u{1b}[2J"), Fixture.row(2, name: "Office")])
    }

    /// The notifications for updates of a fleet.
    private static func notifications(
        of bodies: StreamUpdate.Body..., where condition: String = ""
    ) throws -> [FleetNotification] {
        var driver = try driver()
        for body in bodies { driver.receive(body) }
        let filter = EventFilter(try Condition.parse(condition))
        return driver.observerEvents.compactMap {
            FleetNotification($0, of: driver.replica, filter: filter)
        }
    }

    @Test("a device that goes offline is a notification, and one that comes back is not")
    func offline() throws {
        let found = try Self.notifications(
            of: .connection(Fixture.device(2), isConnected: false),
            .connection(Fixture.device(2), isConnected: true))
        #expect(found.map(\.kind) == [.offline])
        #expect(found[0].text == "Sensibus: Office: offline (no link)")
        #expect(
            found[0].environment.map(\.value) == [
                "offline", "Sensibus: Office: offline (no link)", "\(Fixture.device(2))", "Office", "node-1",
            ])
    }

    @Test("a lost node is one notification for all its devices")
    func node() throws {
        let lost = StreamUpdate.Body.node(try Fixture.node(1, "node-1", .offline(.nodeLost)), devices: 2)
        let found = try Self.notifications(of: lost)
        #expect(found.map(\.kind) == [.nodeLost])
        #expect(found[0].text == "Sensibus: node-1 lost: 2 devices offline")
        #expect(found[0].device == nil && found[0].node?.text == "node-1")
        #expect(try Self.notifications(of: lost, where: "Office").count == 1)
        #expect(try Self.notifications(of: lost, where: "Kitchen").isEmpty, "the node has no such device")
    }

    @Test(
        "a toggle that failed is a notification, and other outcomes and requests are not",
        arguments: [
            (.expired, .toggle, true), (.rejected("fan blocked"), .toggle, true),
            (.conflict(Fixture.state()), .toggle, true), (.applied(Fixture.state()), .toggle, false),
            (.cancelled, .toggle, false), (.expired, .set, false),
        ] as [(Outcome, CommandKind, Bool)])
    func toggles(outcome: Outcome, command: CommandKind, isNotified: Bool) throws {
        let report = try Fixture.report(outcome, of: command, device: Fixture.device(2))
        let found = try Self.notifications(of: .outcome(report))
        #expect(found.map(\.kind) == (isNotified ? [.toggleFailed] : []))
    }

    @Test("a condition selects the devices, and a name cannot look like an option or control the terminal")
    func filtered() throws {
        let found = try Self.notifications(
            of: .connection(Fixture.device(1), isConnected: false),
            .connection(Fixture.device(2), isConnected: false), where: "attic")
        #expect(found.count == 1)
        #expect(found[0].text.hasPrefix("Sensibus: -x Attic"))
        #expect(found[0].environment.allSatisfy { !$0.value.contains("\u{1b}") })
    }

    @Test("the first notification waits a second for others, and the next call follows after ten seconds")
    func paced() throws {
        let one = try #require(
            try Self.notifications(of: .connection(Fixture.device(2), isConnected: false)).first)
        let lost = try #require(
            try Self.notifications(of: .node(try Fixture.node(1, "node-1", .offline(.nodeLost)), devices: 2))
                .first)
        var queue = NotificationQueue()
        let start = MonotonicTime.zero.advanced(by: .seconds(100))
        #expect(queue.take(at: start) == nil)
        queue.add(one, at: start)
        #expect(queue.take(at: start.advanced(by: .milliseconds(999))) == nil)
        #expect(queue.take(at: start.advanced(by: .seconds(1))) == one)
        for count in 1...3 { queue.add(count == 2 ? lost : one, at: start.advanced(by: .seconds(2))) }
        #expect(queue.take(at: start.advanced(by: .milliseconds(10_999))) == nil)
        let several = queue.take(at: start.advanced(by: .seconds(11)))
        #expect(several?.kind == .several)
        #expect(several?.text == "Sensibus: 2 devices offline, 1 node lost")
        #expect(queue.take(at: start.advanced(by: .seconds(60))) == nil)
        queue.add(lost, at: start.advanced(by: .seconds(60)))
        #expect(queue.take(at: start.advanced(by: .seconds(61))) == lost, "the counts begin again")
    }
}
