import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Pages in place of the table")
struct PageTests {
    private static func text(
        _ view: inout ViewModel, _ driver: ReplicaDriver, _ width: Int = 80, _ height: Int = 24
    ) -> [String] {
        let layout = view.layout(width: width, height: height)
        let content = view.content(
            of: driver.replica, rows: layout.tableRows, messages: layout.messageRows, width: width,
            at: driver.now)
        return Screen.lines(of: content, layout: layout).map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }
    }

    @Test("the details show a device's known values, its room and its last events")
    func details() throws {
        let measured = try Fixture.measured(1, deciCelsius: 215).measurements
        let row = Fixture.row(
            1, name: "Küche", measured: SnapshotChunk.Measured(measured, at: Fixture.start.wall))
        var driver = try ReplicaDriver.whole([row, Fixture.row(2)])
        var view = try Fixture.view()
        driver.now = driver.now.advanced(by: .seconds(90))
        driver.receive(
            Fixture.update(7, 11, .reported(Fixture.device(1), Fixture.state(on: true, version: 2))))
        driver.receive(Fixture.update(7, 12, .connection(Fixture.device(1), isConnected: false)))
        let outcome = try Fixture.report(.expired, device: Fixture.device(1))
        driver.receive(Fixture.update(7, 13, .outcome(outcome)))
        for event in driver.observerEvents { view.handle(event) }
        Fixture.press(.showDetails, &view, driver)
        let expected = """
            Sensibus demo
            details
            Küche
            id        \(Fixture.device(1)) in node-1
            state     on
            settings  cool 22 °C, fan auto
            presence  offline (no link), for 1m
            version   2, changed 1m ago
            room      21.5 °C, feels like 21.5 °C, 45.0 % humidity
                      measured 1m ago, signal -50 dBm
            trend     ▄  21.5 to 21.5 °C
            automatic no timer, schedule or Climate React
            toggles   none applied since the observer started
            logbook   loading…

            history
            12:00:01  request expired, requested by demo@sensibus.local
            12:00:01  offline (no link)
            12:00:01  on, cool 22 °C, by request (version 2)
            """
        #expect(Self.text(&view, driver).prefix(19).joined(separator: "\n") == expected)
        Fixture.press(.toggleDevice, &view, driver)
        #expect(Self.text(&view, driver)[5] == "expected  off; c cancels the toggle")
        Fixture.press(.move(1), &view, driver)
        #expect(Self.text(&view, driver)[2] == "Bedroom 2", "the page goes with the selection")
        #expect(Self.text(&view, driver).contains("no events since the observer started"))
        driver.receive(Fixture.update(7, 14, .removed(Fixture.device(1))))
        driver.receive(Fixture.update(7, 15, .removed(Fixture.device(2))))
        driver.now = driver.now.advanced(by: .seconds(1))
        _ = Self.text(&view, driver)
        #expect(view.focus == .table, "the device is gone")
    }

    @Test("details longer than the screen are shown page by page, and follow the selection")
    func lowDetails() throws {
        let driver = try ReplicaDriver.whole()
        var view = try Fixture.view()
        Fixture.press(.showDetails, &view, driver)
        #expect(Self.text(&view, driver, 40, 10)[2] == "Bedroom 1")
        Fixture.press(.page(1), &view, driver)
        _ = Self.text(&view, driver, 40, 10)
        Fixture.press(.page(1), &view, driver)
        let below = Self.text(&view, driver, 40, 10)
        #expect(below[2] != "Bedroom 1")
        #expect(below[8] == "no events since the observer started")
        for _ in 0..<2 { Fixture.press(.page(-1), &view, driver) }
        Fixture.press(.move(1), &view, driver)
        #expect(Self.text(&view, driver, 40, 10)[2] == "Bedroom 2")
    }

    @Test("the help shows why toggling is not possible, and is shown page by page on a low screen")
    func help() throws {
        var driver = try ReplicaDriver.whole()
        var view = try Fixture.view()
        driver.step(.connection(.failed("refused")))
        Fixture.press(.toggleHelp, &view, driver)
        let full = Self.text(&view, driver, 90, 30)
        #expect(full.contains { $0.hasPrefix("  cannot toggle: no connection to the controller") })
        let low = Self.text(&view, driver, 40, 10)
        #expect(low[0] == "Sensibus demo  29 below: PgDn  esc back")
        #expect(low.allSatisfy { $0.count <= 40 })
        var read = Array(low[2..<9])
        for _ in 0..<4 {
            Fixture.press(.page(1), &view, driver)
            read += Self.text(&view, driver, 40, 10)[2..<9]
        }
        #expect(full[2..<27].allSatisfy { line in read.contains { $0.prefix(36) == line.prefix(36) } })
        Fixture.press(.toggleHelp, &view, driver)
        #expect(view.focus == .table)
    }

    @Test("the help begins with the page's address, the demo account and its password")
    func address() throws {
        let driver = try ReplicaDriver.whole()
        var view = try Fixture.view()
        view.handle(
            FleetAddress(
                page: "http://127.0.0.1:8702/", email: "demo@sensibus.local", password: "s3cret\u{1b}[2J",
                runDirectory: "/srv/.sensibus"))
        Fixture.press(.toggleHelp, &view, driver)
        let help = Self.text(&view, driver, 90, 30)
        #expect(help[2] == "page             http://127.0.0.1:8702/")
        #expect(help[3] == "email            demo@sensibus.local")
        #expect(help[4].hasPrefix("password         s3cret") && !help[4].contains("\u{1b}"))
        #expect(help[5] == "run dir          /srv/.sensibus")
        view.handle(
            FleetAddress(page: nil, email: "demo@sensibus.local", password: nil, runDirectory: "/srv/f"))
        #expect(Self.text(&view, driver, 90, 30)[2] == "run dir          /srv/f")
    }

    @Test("the help of a recording shows its playback keys, and why toggling is not possible")
    func replayHelp() throws {
        var driver = try ReplicaDriver.whole()
        driver.step(.connection(.failed("refused")))
        var view = try Fixture.view()
        Fixture.press(.toggleHelp, &view, driver)
        let live = Self.text(&view, driver, 90, 30)
        #expect(live.contains("Home End g G     first device, last device"))
        #expect(!live.contains { $0.contains("← →") })
        view.become(.replaying)
        let replay = Self.text(&view, driver, 90, 30)
        #expect(replay.contains("← →              10 s back, 10 s forward"))
        #expect(replay.contains("Home End         start, end of the recording"))
        #expect(!replay.contains("Home End g G     first device, last device"))
        #expect(replay.contains("  cannot toggle: this is a recording"))
    }

    @Test("a table without rows shows the reason and what to do")
    func welcome() throws {
        var view = try Fixture.view(role: nil)
        var driver = ReplicaDriver()
        #expect(Self.text(&view, driver)[2] == "Looking for the controller.")
        #expect(Self.text(&view, driver)[3].contains("`fleet up`"))
        view.become(.signedOut(advice: "run `fleet login`"))
        #expect(Self.text(&view, driver)[2] == "You are not logged in.")
        #expect(Self.text(&view, driver)[3].contains("run `fleet login`"))
        view = try Fixture.view()
        driver.step(.connection(.established))
        #expect(Self.text(&view, driver)[2] == "Loading devices…")
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(Fixture.chunk(7, 10, rows: []))
        #expect(Self.text(&view, driver)[2] == "This account has no devices yet.")
        let narrow = Self.text(&view, driver, 40, 10)
        #expect(narrow[3] == "`fleet scale 100` adds devices to a")
        #expect(narrow[4] == "running fleet, and `fleet up` starts")
    }
}
