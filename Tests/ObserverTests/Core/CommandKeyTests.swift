import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("Toggling from the table")
struct CommandKeyTests {
    /// Two devices, off at version 1; the first is selected.
    private static func scene(role: Session.Role? = .member) throws -> ScreenReader {
        let reader = try ScreenReader(.whole(), view: Fixture.view(role: role))
        _ = reader.content()
        return reader
    }

    /// The command of the toggle of the selected device.
    @discardableResult
    private static func toggle(_ reader: ScreenReader) throws -> Command {
        let effect = reader.perform(.toggleDevice)
        guard case .perform(let command) = effect else { throw Unexpected(effect: effect) }
        return command
    }

    private static func report(_ command: Command, _ outcome: Outcome) throws -> OutcomeReport {
        OutcomeReport(
            requestID: command.requestID, device: command.device, outcome: outcome,
            user: try #require(Email("demo@sensibus.local")))
    }

    struct Unexpected: Error {
        let effect: ViewEffect?
    }

    @Test("a toggle has the version on the screen, and the row shows the expected state")
    func asks() throws {
        let reader = try Self.scene()
        let command = try Self.toggle(reader)
        #expect(command.device == Fixture.device(1))
        #expect(command.kind == .toggle)
        #expect(command.expected == Fixture.state().expectation)
        #expect(command.requestID.isVersion7)
        let content = reader.content()
        #expect(content.rows.map(\.expected) == [true, nil])
        #expect(content.status.pending == 1)
    }

    @Test("a toggle while paused has the version that the screen shows")
    func asksWhilePaused() throws {
        let reader = try Self.scene()
        reader.perform(.togglePause)
        reader.driver.receive(.reported(Fixture.device(1), Fixture.state(on: true, version: 2)))
        let command = try Self.toggle(reader)
        #expect(command.expected == Fixture.state(version: 1).expectation)
    }

    @Test("an applied toggle stays expected until its row shows it")
    func applied() throws {
        let reader = try Self.scene()
        let command = try Self.toggle(reader)
        let state = Fixture.state(on: true, version: 2)
        reader.handle(.ended(try Self.report(command, .applied(state))))
        #expect(reader.content().rows.first?.expected == true)
        reader.driver.receive(.reported(Fixture.device(1), state))
        let content = reader.content()
        #expect(content.rows.first?.expected == nil)
        #expect(content.rows.first?.state == state)
    }

    @Test("a toggle that was not applied is no longer expected")
    func ended() throws {
        for outcome in [Outcome.conflict(Fixture.state(version: 9)), .expired, .cancelled, .rejected("no")] {
            let reader = try Self.scene()
            let command = try Self.toggle(reader)
            reader.handle(.ended(try Self.report(command, outcome)))
            #expect(reader.content().rows.first?.expected == nil, "\(outcome)")
        }
    }

    @Test("a toggle without an outcome is expected until its timeout, and not longer")
    func late() throws {
        let reader = try Self.scene()
        try Self.toggle(reader)
        #expect(reader.content(after: Limits.defaultTimeout).rows.first?.expected == true)
        let end = Limits.defaultTimeout + PendingToggles.grace
        #expect(reader.content(after: end).rows.first?.expected == nil)
    }

    @Test("a refused toggle shows the reason and is no longer expected")
    func refused() throws {
        let reader = try Self.scene()
        let command = try Self.toggle(reader)
        reader.handle(.refused(command, why: "busy"))
        let content = reader.content()
        #expect(content.rows.first?.expected == nil)
        #expect(content.hint?.text == "Bedroom 1: not toggled: busy")
        #expect(content.log?.lines.last?.text == "! 12:00:01 Bedroom 1: not toggled: busy")
    }

    @Test("a device has one pending toggle, and their total is bounded")
    func bounded() throws {
        let reader = try ScreenReader(.whole((0..<100).map { Fixture.row($0) }))
        for number in 0..<100 {
            try Self.toggle(reader)
            #expect(reader.perform(.toggleDevice) == nil)
            if number == PendingToggles.limit - 1 { break }
            reader.perform(.move(1))
        }
        reader.perform(.move(1))
        #expect(reader.perform(.toggleDevice) == nil)
        #expect(reader.view.pendingCount == PendingToggles.limit)
        #expect(reader.hint == "64 toggles are already pending")
    }

    @Test("toggling is offered only to members and owners with a session and a connection")
    func obstacles() throws {
        for role in [Session.Role.viewer, nil] {
            let reader = try Self.scene(role: role)
            #expect(reader.perform(.toggleDevice) == nil)
            #expect(reader.hint != nil)
            #expect(reader.content().rows.first?.expected == nil)
        }
        let reader = try Self.scene(role: .owner)
        reader.driver.step(.connection(.failed("refused")))
        #expect(reader.perform(.toggleDevice) == nil)
        #expect(reader.hint == "cannot toggle: no connection to the controller")
        reader.driver.step(.connection(.established))
        reader.view.become(.signedOut(advice: "run `fleet login`"))
        #expect(reader.perform(.toggleDevice) == nil)
        #expect(reader.hint == "cannot toggle: not logged in; run `fleet login`")
    }

    @Test("a pending toggle can be cancelled once")
    func withdrawn() throws {
        let reader = try Self.scene()
        #expect(reader.perform(.cancelToggle) == nil)
        #expect(reader.hint == "Bedroom 1 has no pending toggle of yours")
        let command = try Self.toggle(reader)
        let cancel = reader.perform(.cancelToggle)
        #expect(cancel == .cancel(command.requestID, of: command.device))
        #expect(reader.perform(.cancelToggle) == nil, "it is being cancelled")
        // The two answers arrive in either order.
        reader.handle(.ended(try Self.report(command, .cancelled)))
        reader.handle(.cancelReplied(command.requestID, of: command.device, .cancelled))
        let content = reader.content()
        #expect(content.rows.first?.expected == nil)
        #expect(content.hint?.text == "Bedroom 1: cancelled in time")
    }

    @Test("without a connection a toggle cannot be cancelled, and with one again it still can")
    func disconnected() throws {
        let reader = try Self.scene()
        let command = try Self.toggle(reader)
        reader.driver.step(.connection(.failed("refused")))
        #expect(reader.perform(.cancelToggle) == nil)
        #expect(reader.hint == "cannot cancel: no connection to the controller")
        reader.driver.step(.connection(.established))
        let cancel = reader.perform(.cancelToggle)
        #expect(cancel == .cancel(command.requestID, of: command.device), "it is still to be cancelled")

    }

    @Test("while the controller is silent no toggle is offered, and none can be cancelled")
    func silence() throws {
        let reader = try Self.scene()
        try Self.toggle(reader)
        reader.driver.pass(Limits.staleAfter + .milliseconds(100))
        #expect(reader.driver.replica.staleness == .silence)
        #expect(reader.perform(.cancelToggle) == nil)
        #expect(reader.hint == "cannot cancel: the controller is not responding")
        reader.perform(.move(1))
        #expect(reader.perform(.toggleDevice) == nil)
        #expect(reader.hint == "cannot toggle: the controller is not responding")
        #expect(reader.content().rows.last?.expected == nil)
    }

    @Test("a cancel that is too late says so, and the toggle stays expected until its row shows it")
    func tooLate() throws {
        let reader = try Self.scene()
        let command = try Self.toggle(reader)
        reader.perform(.cancelToggle)
        let state = Fixture.state(on: true, version: 2)
        let report = try Self.report(command, .applied(state))
        reader.handle(.cancelReplied(command.requestID, of: command.device, .tooLate(report)))
        let content = reader.content()
        #expect(content.rows.first?.expected == true, "until the row shows it")
        #expect(content.hint?.text == "Bedroom 1: too late to cancel: applied")
    }

    @Test("a toggle is for the selected device, even if the table has moved")
    func followsSelection() throws {
        let reader = try Self.scene()
        reader.perform(.move(1))
        reader.driver.receive(.removed(Fixture.device(1)))
        let command = try Self.toggle(reader)
        #expect(command.device == Fixture.device(2))
    }

    @Test("a hint disappears with the next key, or after a while")
    func hints() throws {
        let reader = try Self.scene()
        reader.perform(.cancelToggle)
        #expect(reader.content(after: .seconds(4)).hint != nil)
        #expect(reader.content(after: .seconds(5)).hint == nil)
        reader.perform(.cancelToggle)
        reader.perform(.move(1))
        #expect(reader.hint == nil)
    }
}
