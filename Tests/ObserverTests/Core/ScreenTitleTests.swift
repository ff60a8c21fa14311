import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("The title of the screen")
struct ScreenTitleTests {
    private static func title(_ view: inout ViewModel, _ driver: ReplicaDriver, width: Int) -> String {
        let layout = view.layout(width: width, height: 10)
        let content = view.content(
            of: driver.replica, rows: layout.tableRows, messages: layout.messageRows, width: width,
            at: driver.now)
        var text = Screen.lines(of: content, layout: layout)[0].text
        while text.last == " " { text.removeLast() }
        return text
    }

    @Test(
        "the title keeps the hint for the help, at any number of devices",
        arguments: [
            (40, 9, "Sensibus demo  by slot  1–4 of 9  ? keys"), (40, 10, "Sensibus demo  1–4 of 10  ? keys"),
            (40, 2_000, "Sensibus demo  1–4 of 2000  ? keys"),
            (42, 10, "Sensibus demo  by slot  1–4 of 10  ? keys"), (31, 10, "Sensibus demo  1–4 of 10"),
        ])
    func keysInTitle(width: Int, devices: Int, title: String) throws {
        let driver = try ReplicaDriver.whole((0..<devices).map { Fixture.row($0) })
        var view = try Fixture.view()
        #expect(Self.title(&view, driver, width: width) == title)
        Fixture.press(.showDetails, &view, driver)
        #expect(Self.title(&view, driver, width: width).hasSuffix("  esc back"))
    }

    @Test(
        "an awaited condition is at the end of the status line, as much as fits",
        arguments: [
            (100, #"0 updates/s  until device "Bedroom 7" on"#), (53, "0 updates/s  until device…"),
            (47, "0 updates/s"),
        ])
    func awaited(width: Int, end: String) throws {
        let driver = try ReplicaDriver.whole()
        var view = try Fixture.view()
        view.await("device \"Bedroom 7\" on")
        let layout = ScreenLayout(width: width, height: 10)
        let content = view.content(of: driver.replica, rows: 4, messages: 2, at: driver.now)
        let line = Screen.lines(of: content, layout: layout)[9]
        #expect(line.width == width)
        var text = line.text
        while text.last == " " { text.removeLast() }
        #expect(text.hasSuffix(end), "\(text)")
    }

    @Test("the title shows a recording's account as text without control characters")
    func hostileAccount() throws {
        let driver = try ReplicaDriver.whole()
        var view = ViewModel(
            account: "\u{1b}]0;pwned\u{7}\u{1b}[2J\u{202e}x", random: SeededGenerator(seed: 1))
        let title = Self.title(&view, driver, width: 80)
        #expect(title.hasPrefix("Sensibus �]0;pwned��[2Jx  by slot"))
        #expect(title.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202e}" })
    }
}
