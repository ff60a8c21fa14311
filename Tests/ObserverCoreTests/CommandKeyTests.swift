import FleetProtocol
import FleetReplica
import FleetTime
import ReplicaTestSupport
import Testing
import UserText

@testable import ObserverCore

@Suite("toggling from the table")
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
            actor: try #require(Email("demo@sensibus.local")))
    }

    struct Unexpected: Error {
        let effect: ViewEffect?
    }

    @Test("asks with the version that the screen shows, and the row shows what is expected")
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

    @Test("while paused the version is the one that stands on the screen")
    func asksWhilePaused() throws {
        var (view, driver) = try Self.scene()
        Fixture.press(.togglePause, &view, driver)
        driver.hear(Fixture.update(7, 11, .reported(Fixture.device(1), Fixture.state(on: true, version: 2))))
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        #expect(command.expected == Fixture.state(version: 1).expectation)
    }

    @Test("an applied toggle stays on its row until the row shows it")
    func applied() throws {
        var (view, driver) = try Self.scene()
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        let state = Fixture.state(on: true, version: 2)
        view.take(.ended(try Self.report(command, .applied(state))), on: driver.replica, at: driver.now)
        #expect(Self.content(&view, driver).rows.first?.expected == true)
        driver.hear(Fixture.update(7, 11, .reported(Fixture.device(1), state)))
        let content = Self.content(&view, driver)
        #expect(content.rows.first?.expected == nil)
        #expect(content.rows.first?.state == state)
    }

    @Test("goes back at once when it ended otherwise")
    func ended() throws {
        for outcome in [Outcome.conflict(Fixture.state(version: 9)), .expired, .cancelled, .rejected("no")] {
            var (view, driver) = try Self.scene()
            let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
            view.take(.ended(try Self.report(command, outcome)), on: driver.replica, at: driver.now)
            #expect(Self.content(&view, driver).rows.first?.expected == nil, "\(outcome)")
        }
    }

    @Test("goes back when nothing was heard in time, and not before")
    func late() throws {
        var (view, driver) = try Self.scene()
        _ = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        #expect(Self.content(&view, driver, after: Limits.defaultPatience).rows.first?.expected == true)
        let end = Limits.defaultPatience + PendingToggles.grace
        #expect(Self.content(&view, driver, after: end).rows.first?.expected == nil)
    }

    @Test("a refusal is told in words, and what was expected goes")
    func refused() throws {
        var (view, driver) = try Self.scene()
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        view.take(.refused(command, why: "busy"), on: driver.replica, at: driver.now)
        let content = Self.content(&view, driver)
        #expect(content.rows.first?.expected == nil)
        #expect(content.hint?.words == "Bedroom 1: not toggled: busy")
        #expect(content.messages.last?.words == "Bedroom 1: not toggled: busy")
    }

    @Test("one toggle a device, and a bounded number in all")
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
        #expect(Self.content(&view, driver).hint?.words == "64 toggles are already pending")
    }

    @Test("is offered to members and owners with a session and a connection, and to nobody else")
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
            Self.content(&view, driver).hint?.words
                == "cannot toggle: no connection to the controller")
        driver.step(.connection(.established))
        view.become(.signedOut(advice: "run `fleet login`"))
        #expect(Fixture.press(.toggleDevice, &view, driver) == nil)
        #expect(Self.content(&view, driver).hint?.words == "cannot toggle: not logged in; run `fleet login`")
    }

    @Test("what is on its way can be taken back, once")
    func takenBack() throws {
        var (view, driver) = try Self.scene()
        #expect(Fixture.press(.cancelToggle, &view, driver) == nil)
        #expect(Self.content(&view, driver).hint?.words == "Bedroom 1 has no pending toggle of yours")
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        let cancel = Fixture.press(.cancelToggle, &view, driver)
        #expect(cancel == .cancel(command.requestID, of: command.device))
        #expect(Fixture.press(.cancelToggle, &view, driver) == nil, "it is under way")
        // The two answers come in either order.
        view.take(.ended(try Self.report(command, .cancelled)), on: driver.replica, at: driver.now)
        view.take(
            .cancelAnswered(command.requestID, of: command.device, .cancelled), on: driver.replica,
            at: driver.now)
        let content = Self.content(&view, driver)
        #expect(content.rows.first?.expected == nil)
        #expect(content.hint?.words == "Bedroom 1: cancelled in time")
    }

    @Test("while the controller is silent nothing is offered, and a toggle is not taken back without it")
    func silence() throws {
        var (view, driver) = try Self.scene()
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        driver.step(.connection(.failed("refused")))
        #expect(Fixture.press(.cancelToggle, &view, driver) == nil)
        #expect(
            Self.content(&view, driver).hint?.words
                == "cannot cancel: no connection to the controller")
        driver.step(.connection(.established))
        let cancel = Fixture.press(.cancelToggle, &view, driver)
        #expect(cancel == .cancel(command.requestID, of: command.device), "it is still to be taken back")

        (view, driver) = try Self.scene()
        _ = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        driver.pass(Limits.staleAfter + .milliseconds(100))
        #expect(driver.replica.staleness == .silence)
        #expect(Fixture.press(.cancelToggle, &view, driver) == nil)
        #expect(
            Self.content(&view, driver).hint?.words
                == "cannot cancel: the controller is not responding")
        Fixture.press(.move(1), &view, driver)
        #expect(Fixture.press(.toggleDevice, &view, driver) == nil)
        let content = Self.content(&view, driver)
        #expect(content.hint?.words == "cannot toggle: the controller is not responding")
        #expect(content.rows.last?.expected == nil)
    }

    @Test("a cancel that came too late says so, and the toggle goes on to its end")
    func tooLate() throws {
        var (view, driver) = try Self.scene()
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        Fixture.press(.cancelToggle, &view, driver)
        let state = Fixture.state(on: true, version: 2)
        let report = try Self.report(command, .applied(state))
        view.take(
            .cancelAnswered(command.requestID, of: command.device, .tooLate(report)), on: driver.replica,
            at: driver.now)
        let content = Self.content(&view, driver)
        #expect(content.rows.first?.expected == true, "until the row shows it")
        #expect(content.hint?.words == "Bedroom 1: too late to cancel: applied")
    }

    @Test("acts on the device that is selected, whatever moved above it")
    func followsSelection() throws {
        var (view, driver) = try Self.scene()
        Fixture.press(.move(1), &view, driver)
        driver.hear(Fixture.update(7, 11, .removed(Fixture.device(1))))
        let command = try Self.command(Fixture.press(.toggleDevice, &view, driver))
        #expect(command.device == Fixture.device(2))
    }

    @Test("a hint goes with the next key, and by itself after a while")
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
