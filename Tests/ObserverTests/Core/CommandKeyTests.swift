import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("Toggling from the table")
struct CommandKeyTests {
    /// Two devices, off at version 1; the first is selected.
    private static func scene(role: Session.Role? = .member) throws -> (ViewModel, ReplicaDriver) {
        let driver = try ReplicaDriver.whole()
        var view = try Fixture.view(role: role)
        _ = content(&view, driver)
        return (view, driver)
    }

    private static func content(
        _ view: inout ViewModel, _ driver: ReplicaDriver, after wait: Duration = .zero
    ) -> ScreenContent {
        view.content(of: driver.replica, rows: 10, messages: 5, at: driver.now.advanced(by: wait))
    }

    private static func command(_ effect: ViewEffect?) throws -> Command {
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
        var (view, driver) = try Self.scene()
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        #expect(command.device == Fixture.device(1))
        #expect(command.kind == .toggle)
        #expect(command.expected == Fixture.state().expectation)
        #expect(command.requestID.isVersion7)
        let content = Self.content(&view, driver)
        #expect(content.rows.map(\.expected) == [true, nil])
        #expect(content.status.pending == 1)
    }

    @Test("a toggle while paused has the version that the screen shows")
    func asksWhilePaused() throws {
        var (view, driver) = try Self.scene()
        Fixture.press(.togglePause, &view, driver)
        driver.receive(
            Fixture.update(7, 11, .reported(Fixture.device(1), Fixture.state(on: true, version: 2))))
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        #expect(command.expected == Fixture.state(version: 1).expectation)
    }

    @Test("an applied toggle stays expected until its row shows it")
    func applied() throws {
        var (view, driver) = try Self.scene()
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        let state = Fixture.state(on: true, version: 2)
        view.handle(.ended(try Self.report(command, .applied(state))), on: driver.replica, at: driver.now)
        #expect(Self.content(&view, driver).rows.first?.expected == true)
        driver.receive(Fixture.update(7, 11, .reported(Fixture.device(1), state)))
        let content = Self.content(&view, driver)
        #expect(content.rows.first?.expected == nil)
        #expect(content.rows.first?.state == state)
    }

    @Test("a toggle that was not applied is no longer expected")
    func ended() throws {
        for outcome in [Outcome.conflict(Fixture.state(version: 9)), .expired, .cancelled, .rejected("no")] {
            var (view, driver) = try Self.scene()
            let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
            view.handle(.ended(try Self.report(command, outcome)), on: driver.replica, at: driver.now)
            #expect(Self.content(&view, driver).rows.first?.expected == nil, "\(outcome)")
        }
    }

    @Test("a toggle without an outcome is expected until its timeout, and not longer")
    func late() throws {
        var (view, driver) = try Self.scene()
        _ = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        #expect(Self.content(&view, driver, after: Limits.defaultTimeout).rows.first?.expected == true)
        let end = Limits.defaultTimeout + PendingToggles.grace
        #expect(Self.content(&view, driver, after: end).rows.first?.expected == nil)
    }

    @Test("a refused toggle shows the reason and is no longer expected")
    func refused() throws {
        var (view, driver) = try Self.scene()
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        view.handle(.refused(command, why: "busy"), on: driver.replica, at: driver.now)
        let content = Self.content(&view, driver)
        #expect(content.rows.first?.expected == nil)
        #expect(content.hint?.text == "Bedroom 1: not toggled: busy")
        #expect(content.log?.lines.last?.text == "! 12:00:01 Bedroom 1: not toggled: busy")
    }

    @Test("a device has one pending toggle, and their total is bounded")
    func bounded() throws {
        let rows = (0..<100).map { Fixture.row($0) }
        let driver = try ReplicaDriver.whole(rows)
        var view = try Fixture.view()
        for number in 0..<100 {
            _ = try Self.command(Fixture.press(.toggleDevice, &view, driver))
            #expect(Fixture.press(.toggleDevice, &view, driver) == nil)
            if number == PendingToggles.limit - 1 { break }
            Fixture.press(.move(1), &view, driver)
        }
        Fixture.press(.move(1), &view, driver)
        #expect(Fixture.press(.toggleDevice, &view, driver) == nil)
        #expect(view.pendingCount == PendingToggles.limit)
        #expect(Self.content(&view, driver).hint?.text == "64 toggles are already pending")
    }

    @Test("toggling is offered only to members and owners with a session and a connection")
    func obstacles() throws {
        for role in [Session.Role.viewer, nil] {
            var (view, driver) = try Self.scene(role: role)
            #expect(Fixture.press(.toggleDevice, &view, driver) == nil)
            #expect(Self.content(&view, driver).hint != nil)
            #expect(Self.content(&view, driver).rows.first?.expected == nil)
        }
        var (view, driver) = try Self.scene(role: .owner)
        driver.step(.connection(.failed("refused")))
        #expect(Fixture.press(.toggleDevice, &view, driver) == nil)
        #expect(
            Self.content(&view, driver).hint?.text
                == "cannot toggle: no connection to the controller")
        driver.step(.connection(.established))
        view.become(.signedOut(advice: "run `fleet login`"))
        #expect(Fixture.press(.toggleDevice, &view, driver) == nil)
        #expect(Self.content(&view, driver).hint?.text == "cannot toggle: not logged in; run `fleet login`")
    }

    @Test("a pending toggle can be cancelled once")
    func withdrawn() throws {
        var (view, driver) = try Self.scene()
        #expect(Fixture.press(.cancelToggle, &view, driver) == nil)
        #expect(Self.content(&view, driver).hint?.text == "Bedroom 1 has no pending toggle of yours")
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        let cancel = Fixture.press(.cancelToggle, &view, driver)
        #expect(cancel == .cancel(command.requestID, of: command.device))
        #expect(Fixture.press(.cancelToggle, &view, driver) == nil, "it is being cancelled")
        // The two answers arrive in either order.
        view.handle(.ended(try Self.report(command, .cancelled)), on: driver.replica, at: driver.now)
        view.handle(
            .cancelReplied(command.requestID, of: command.device, .cancelled), on: driver.replica,
            at: driver.now)
        let content = Self.content(&view, driver)
        #expect(content.rows.first?.expected == nil)
        #expect(content.hint?.text == "Bedroom 1: cancelled in time")
    }

    @Test("while the controller is silent no toggle is offered, and a cancel waits for it")
    func silence() throws {
        var (view, driver) = try Self.scene()
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        driver.step(.connection(.failed("refused")))
        #expect(Fixture.press(.cancelToggle, &view, driver) == nil)
        #expect(
            Self.content(&view, driver).hint?.text
                == "cannot cancel: no connection to the controller")
        driver.step(.connection(.established))
        let cancel = Fixture.press(.cancelToggle, &view, driver)
        #expect(cancel == .cancel(command.requestID, of: command.device), "it is still to be cancelled")

        (view, driver) = try Self.scene()
        _ = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        driver.pass(Limits.staleAfter + .milliseconds(100))
        #expect(driver.replica.staleness == .silence)
        #expect(Fixture.press(.cancelToggle, &view, driver) == nil)
        #expect(
            Self.content(&view, driver).hint?.text
                == "cannot cancel: the controller is not responding")
        Fixture.press(.move(1), &view, driver)
        #expect(Fixture.press(.toggleDevice, &view, driver) == nil)
        let content = Self.content(&view, driver)
        #expect(content.hint?.text == "cannot toggle: the controller is not responding")
        #expect(content.rows.last?.expected == nil)
    }

    @Test("a cancel that is too late says so, and the toggle stays expected until its row shows it")
    func tooLate() throws {
        var (view, driver) = try Self.scene()
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        Fixture.press(.cancelToggle, &view, driver)
        let state = Fixture.state(on: true, version: 2)
        let report = try Self.report(command, .applied(state))
        view.handle(
            .cancelReplied(command.requestID, of: command.device, .tooLate(report)), on: driver.replica,
            at: driver.now)
        let content = Self.content(&view, driver)
        #expect(content.rows.first?.expected == true, "until the row shows it")
        #expect(content.hint?.text == "Bedroom 1: too late to cancel: applied")
    }

    @Test("a toggle is for the selected device, even if the table has moved")
    func followsSelection() throws {
        var (view, driver) = try Self.scene()
        Fixture.press(.move(1), &view, driver)
        driver.receive(Fixture.update(7, 11, .removed(Fixture.device(1))))
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        #expect(command.device == Fixture.device(2))
    }

    @Test("a hint disappears with the next key, or after a while")
    func hints() throws {
        var (view, driver) = try Self.scene()
        Fixture.press(.cancelToggle, &view, driver)
        #expect(Self.content(&view, driver, after: .seconds(4)).hint != nil)
        #expect(Self.content(&view, driver, after: .seconds(5)).hint == nil)
        Fixture.press(.cancelToggle, &view, driver)
        Fixture.press(.move(1), &view, driver)
        #expect(Self.content(&view, driver).hint == nil)
    }
}
