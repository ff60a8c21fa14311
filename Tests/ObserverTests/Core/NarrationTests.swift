import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

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
