import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Events as text")
struct EventLineTests {
    private static let office = FleetEvent.Device(
        id: Fixture.device(7), name: "Bedroom 7", node: NodeName("node-1"))

    private static func line(_ body: FleetEvent.Body) -> String {
        EventLine(ObserverEvent(at: Fixture.start.wall, body)).timedText(eastOfUTC: .zero)
    }

    private static let asked = "(requested by demo@sensibus.local)"

    private static let outcomes: [(Outcome, String)] = [
        (.applied(Fixture.state(on: true, version: 9)), "toggled on by demo@sensibus.local in 0.21 ms"),
        (
            .applied(Fixture.state(version: 9, mode: .heat, target: 25, fan: .low)),
            "set to heat 25 °C, fan low by demo@sensibus.local in 0.21 ms"
        ),
        (
            .applied(Fixture.state(on: true, version: 9, mode: .fan)),
            "set to on, fan, fan auto by demo@sensibus.local in 0.21 ms"
        ),
        (.unchanged(Fixture.state(on: true, version: 9)), "already on at version 9 \(asked)"),
        (
            .conflict(Fixture.state(on: true, version: 9)),
            "conflict, on at version 9, nothing changed \(asked)"
        ),
        (.rejected("target temperature 99 °C"), "rejected: target temperature 99 °C \(asked)"),
        (.cancelled, "cancelled by demo@sensibus.local, nothing changed"),
        (.expired, "expired, nothing changed \(asked)"),
        (
            .undetermined(.deviceReset),
            "undetermined, the device was reset before it reported the result \(asked)"
        ),
        (.undetermined(.deviceGone), "undetermined, the device was offline for too long \(asked)"),
        (
            .undetermined(.superseded),
            "undetermined, the controller's journal was rolled back and does not have the result " + asked
        ),
        (.unknown, "no answer yet to request 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07 \(asked)"),
    ]

    @Test("every outcome has its sentence", arguments: outcomes)
    func outcome(outcome: Outcome, text: String) throws {
        let end = FleetEvent.Outcome(
            report: try Fixture.report(outcome), device: Self.office, before: Fixture.state().state)
        #expect(Self.line(.outcome(end)) == "12:00:01.234 Bedroom 7: \(text)")
    }

    /// The command, the device's state before if seen, its state now, and the sentence.
    private static let appliedChanges: [(CommandKind?, DeviceState?, DeviceState, String)] = [
        (.toggle, nil, Fixture.state(on: true, version: 9), "toggled on"),
        (.toggle, Fixture.state(on: true), Fixture.state(version: 9), "toggled off"),
        (.set, nil, Fixture.state(on: true, version: 9), "set to on, cool 22 °C, fan auto"),
        (.set, Fixture.state(), Fixture.state(on: true, version: 9), "set to on"),
        (.set, Fixture.state(), Fixture.state(version: 9, target: 25), "set to cool 25 °C, fan auto"),
        (.correct, nil, Fixture.state(version: 9), "corrected to off, cool 22 °C, fan auto"),
        (.correct, Fixture.state(), Fixture.state(on: true, version: 9), "corrected to on"),
        (.configure, nil, Fixture.state(on: true, version: 9), "settings changed"),
        (.configure, Fixture.state(), Fixture.state(version: 9), "settings changed"),
        (nil, nil, Fixture.state(on: true, version: 9), "changed"),
        (nil, Fixture.state(), Fixture.state(version: 9), "settings changed"),
    ]

    @Test(
        "an applied command's sentence depends on the command, regardless of the state before",
        arguments: appliedChanges)
    func appliedChange(command: CommandKind?, before: DeviceState?, after: DeviceState, text: String) throws {
        let end = FleetEvent.Outcome(
            report: try Fixture.report(.applied(after), of: command), device: Self.office,
            before: before?.state)
        #expect(
            Self.line(.outcome(end)) == "12:00:01.234 Bedroom 7: \(text) by demo@sensibus.local in 0.21 ms")
    }

    @Test("a request that was cancelled before it arrived is named by its ID")
    func tombstone() throws {
        let end = FleetEvent.Outcome(
            report: try Fixture.report(.cancelled, device: nil), device: nil, before: nil)
        #expect(
            Self.line(.outcome(end))
                == "12:00:01.234 request 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07: cancelled by "
                + "demo@sensibus.local, nothing changed")
    }

    private static let others: [(FleetEvent.Body, String)] = [
        (
            .reported(
                .init(
                    device: office, state: Fixture.state(on: true, version: 12), cause: .handRemote,
                    isRepair: false)),
            "Bedroom 7: on by hand remote (version 12)"
        ),
        (
            .reported(
                .init(
                    device: office, state: Fixture.state(version: 13), cause: .climateReact, isRepair: false)),
            "Bedroom 7: off by Climate React (version 13)"
        ),
        (
            .reported(.init(device: office, state: Fixture.state(version: 1), isRepair: false)),
            "Bedroom 7: off initially (version 1)"
        ),
        (
            .reported(.init(device: office, state: Fixture.state(version: 12), isRepair: true)),
            "Bedroom 7: off from a snapshot (version 12)"
        ),
        (.presence(office, Presence(.online, since: Fixture.start.wall)), "Bedroom 7: online"),
        (
            .presence(office, Presence(.offline(.disconnected), since: Fixture.start.wall)),
            "Bedroom 7: offline (no link)"
        ),
        (.stale(.gap), "stale: updates were lost"),
        (.stale(.silence), "stale: no update for a second"),
        (.resync(.init(devices: 1, position: .zero, isFirst: true, staleFor: .zero)), "watching 1 device"),
        (
            .resync(.init(devices: 100, position: .zero, isFirst: false, staleFor: .milliseconds(1_250))),
            "up to date again: 100 devices, after 1.25 s"
        ),
        (.added(office), "Bedroom 7: added, ID \(Fixture.device(7))"),
        (.removed(office), "Bedroom 7: removed"),
        (
            .connection(.failed("connection refused")),
            "connection error: connection refused; waiting for the controller"
        ),
        (.connection(.established), "connected to the controller"),
    ]

    @Test("every other event has its sentence", arguments: others)
    func other(body: FleetEvent.Body, text: String) {
        #expect(Self.line(body) == "12:00:01.234 \(text)")
    }

    @Test("events of the observer's session have sentences")
    func session() {
        let notices: [ObserverEvent.Notice] = [.signedOut("run `fleet login`"), .signedIn]
        let text = notices.map { EventLine(ObserverEvent(at: Fixture.start.wall, $0)).text }
        #expect(text == ["logged out: run `fleet login`", "logged in again"])
    }

    private static let nodes: [(Presence.Kind, String)] = [
        (.offline(.nodeLost), "node-1 lost: 100 devices offline"),
        (.offline(.nodeLeft), "node-1 left: 100 devices offline"),
        (.stale, "node-1 silent: 100 devices stale"),
        (.online, "node-1 online: 100 devices"),
        (.unknown, "node-1 not seen since the controller started: 100 devices"),
    ]

    @Test("a node's presence change is one sentence", arguments: nodes)
    func node(kind: Presence.Kind, text: String) throws {
        let change = FleetEvent.NodeChange(
            node: try #require(NodeName("node-1")), presence: Presence(kind, since: Fixture.start.wall),
            devices: 100)
        #expect(Self.line(.node(change)) == "12:00:01.234 \(text)")
    }

    @Test("a device whose name is invisible is shown by its ID")
    func invisibleName() {
        let device = FleetEvent.Device(id: Fixture.device(7), name: "\u{202e}\u{200b} ", node: nil)
        #expect(device.label == Fixture.device(7).description)
    }

    @Test("times in a line are local, and those in its words without the line are in UTC")
    func innerTimes() {
        let history = ObserverEvent.History(
            back: .seconds(600), ends: 1, omitted: 0, completeSince: Fixture.start.wall)
        let line = EventLine(ObserverEvent(at: Fixture.start.wall, .history(history)))
        #expect(line.text.contains("made before 2026-01-31T12:00:01.234Z are missing"))
        let text = line.timedText(eastOfUTC: .seconds(13 * 3_600))
        #expect(text.hasPrefix("01:00:01.234 in the last 10m 1 request ended"))
        #expect(text.contains("made before 2026-02-01 01:00:01 are missing"))
    }

    @Test("a line begins with the user's local time")
    func offset() {
        let line = EventLine(at: Fixture.start.wall, tone: .neutral, text: "x")
        #expect(line.timedText(eastOfUTC: .seconds(-13 * 3_600)) == "23:00:01.234 x")
    }
}

@Suite("Narration of toggles")
struct NarrationTests {
    private let device = FleetEvent.Device(id: Fixture.device(7), name: "Office 3", node: nil)
    private let now = Fixture.start.monotonic

    private func reported(_ version: UInt64, isRepair: Bool = false) -> ObserverEvent {
        ObserverEvent(
            at: Fixture.start.wall,
            .reported(
                .init(
                    device: device, state: Fixture.state(on: true, version: version), cause: .handRemote,
                    isRepair: isRepair)))
    }

    private func applied(_ version: UInt64) throws -> ObserverEvent {
        let report = try Fixture.report(.applied(Fixture.state(on: true, version: version)), of: .toggle)
        return ObserverEvent(
            at: Fixture.start.wall, .outcome(.init(report: report, device: device, before: nil)))
    }

    private func shownLines(_ events: [ObserverEvent], after wait: Duration) -> [String] {
        var narration = Narration()
        var lines: [EventLine] = []
        for event in events { narration.handle(event, at: now, into: &lines) }
        narration.tick(at: now.advanced(by: wait), into: &lines)
        return lines.map(\.text)
    }

    @Test("a toggle's outcome is shown once, without its state, in either order", arguments: [true, false])
    func once(isStateFirst: Bool) throws {
        let events = [reported(9), try applied(9)]
        let lines = shownLines(isStateFirst ? events : events.reversed(), after: .seconds(5))
        #expect(lines == ["Office 3: toggled on by demo@sensibus.local in 0.21 ms"])
    }

    @Test("a change without an outcome is shown as a hand remote's after a wait")
    func handRemote() throws {
        #expect(shownLines([reported(12)], after: .milliseconds(499)).isEmpty)
        #expect(
            shownLines([reported(12)], after: .milliseconds(500)) == [
                "Office 3: on by hand remote (version 12)"
            ])
        #expect(shownLines([reported(12), try applied(11)], after: .seconds(1)).count == 2)
    }

    @Test("a change from a snapshot is shown at once, as late")
    func repair() {
        let lines = shownLines([reported(12, isRepair: true)], after: .zero)
        #expect(lines == ["Office 3: on from a snapshot (version 12)"])
    }

    @Test("a full queue shows its oldest change at once, and never exceeds its bound")
    func bounded() {
        var narration = Narration()
        var lines: [EventLine] = []
        for version in 0..<UInt64(Narration.longestQueue + 5) {
            narration.handle(reported(version), at: now, into: &lines)
        }
        #expect(lines.count == 5)
        #expect(narration.waitingCount == Narration.longestQueue)
        narration.tick(at: now.advanced(by: .seconds(1)), into: &lines)
        #expect(narration.waitingCount == 0)
        #expect(lines.count == Narration.longestQueue + 5)
    }

    @Test("a queue that is never empty remembers no more shown changes than waiting ones")
    func neverEmpty() {
        var narration = Narration()
        var lines: [EventLine] = []
        for step in 0..<5_000 {
            let now = now.advanced(by: .milliseconds(step))
            narration.handle(reported(UInt64(step)), at: now, into: &lines)
            narration.tick(at: now, into: &lines)
            #expect(narration.storedCount <= 2 * narration.waitingCount + Narration.longestRest)
        }
        #expect(narration.waitingCount == 500)
        #expect(lines.count == 4_500)
    }
}
