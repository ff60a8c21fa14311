import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

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
        for (place, body) in bodies.enumerated() {
            driver.receive(Fixture.update(7, UInt64(11 + place), body))
        }
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
        let lost = StreamUpdate.Body.node(
            try Fixture.node(1, "node-1", .offline(.nodeLost)), devices: 2)
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
