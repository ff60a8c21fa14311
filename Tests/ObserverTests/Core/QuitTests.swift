import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Quitting the screen")
struct QuitTests {
    private static func press(_ key: Key, _ view: inout ViewModel, _ driver: ReplicaDriver) -> ViewEffect? {
        key.intent(in: view.focus).flatMap { Fixture.press($0, &view, driver) }
    }

    @Test("quitting an observer ends it at once", arguments: [Key.character("q"), .interrupt])
    func observer(key: Key) throws {
        let driver = try ReplicaDriver.whole()
        var view = try Fixture.view()
        #expect(Self.press(key, &view, driver) == .quit)
    }

    @Test(
        "quitting a fleet's own observer asks first, and q or Ctrl-C again stops the fleet",
        arguments: [Key.character("q"), .interrupt], [Key.character("q"), .interrupt])
    func fleet(first: Key, second: Key) throws {
        let driver = try ReplicaDriver.whole()
        var view = try Fixture.view()
        view.stopFleetAtQuit()
        #expect(Self.press(first, &view, driver) == nil)
        let content = view.content(of: driver.replica, rows: 5, messages: 0, at: driver.now)
        let title = Screen.lines(of: content, layout: ScreenLayout(width: 80, height: 10))[0].text
        #expect(title.hasPrefix("q again: stop the fleet for everyone; any other key: leave it running"))
        #expect(Self.press(second, &view, driver) == .quit)
    }

    @Test(
        "any other key leaves the fleet running, and returns to the page",
        arguments: [Key.escape, .enter, .character("n"), .character("Q"), .character("t"), .down, .backspace])
    func answeredNo(key: Key) throws {
        let driver = try ReplicaDriver.whole()
        var view = try Fixture.view()
        view.stopFleetAtQuit()
        Fixture.press(.showDetails, &view, driver)
        #expect(Self.press(.character("q"), &view, driver) == nil)
        #expect(view.focus == .stopping)
        #expect(Self.press(key, &view, driver) == nil)
        #expect(view.focus == .details)
        #expect(view.pendingCount == 0)
        #expect(Self.press(.character("q"), &view, driver) == nil, "it asks each time")
    }

    @Test("Ctrl-L does not answer the question")
    func redrawn() {
        #expect(Key.redraw.intent(in: .stopping) == nil)
        var parser = KeyParser()
        #expect(parser.keys(of: [0x0c]) == [.redraw])
    }
}
