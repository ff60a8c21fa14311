import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Pages in place of the table")
struct PageTests {
    private static func reader(
        _ driver: ReplicaDriver, role: Session.Role? = .member
    ) throws -> ScreenReader {
        try ScreenReader(driver, view: Fixture.view(role: role), width: 80, height: 24)
    }

    @Test("the details show a device's known values, its room and its last events")
    func details() throws {
        let measured = try Fixture.measured(1, deciCelsius: 215).measurements
        let row = Fixture.row(
            1, name: "Küche", measured: SnapshotChunk.Measured(measured, at: Fixture.start.wall))
        let reader = try Self.reader(.whole([row, Fixture.row(2)]))
        reader.driver.now = reader.driver.now.advanced(by: .seconds(90))
        reader.driver.receive(.reported(Fixture.device(1), Fixture.state(on: true, version: 2)))
        reader.driver.receive(.connection(Fixture.device(1), isConnected: false))
        let outcome = try Fixture.report(.expired, device: Fixture.device(1))
        reader.driver.receive(.outcome(outcome))
        for event in reader.driver.observerEvents { reader.view.handle(event) }
        reader.perform(.showDetails)
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
        #expect(reader.lines().prefix(19).joined(separator: "\n") == expected)
        reader.perform(.toggleDevice)
        #expect(reader.lines()[5] == "expected  off; c cancels the toggle")
        reader.perform(.move(1))
        #expect(reader.lines()[2] == "Bedroom 2", "the page goes with the selection")
        #expect(reader.lines().contains("no events since the observer started"))
        reader.driver.receive(.removed(Fixture.device(1)))
        reader.driver.receive(.removed(Fixture.device(2)))
        reader.driver.now = reader.driver.now.advanced(by: .seconds(1))
        _ = reader.lines()
        #expect(reader.view.focus == .table, "the device is gone")
    }

    @Test("details longer than the screen are shown page by page, and follow the selection")
    func lowDetails() throws {
        let reader = try Self.reader(.whole())
        reader.perform(.showDetails)
        #expect(reader.lines(40, 10)[2] == "Bedroom 1")
        reader.perform(.page(1))
        _ = reader.lines(40, 10)
        reader.perform(.page(1))
        let below = reader.lines(40, 10)
        #expect(below[2] != "Bedroom 1")
        #expect(below[8] == "no events since the observer started")
        for _ in 0..<2 { reader.perform(.page(-1)) }
        reader.perform(.move(1))
        #expect(reader.lines(40, 10)[2] == "Bedroom 2")
    }

    @Test("the help shows why toggling is not possible, and is shown page by page on a low screen")
    func help() throws {
        let reader = try Self.reader(.whole())
        reader.driver.step(.connection(.failed("refused")))
        reader.perform(.toggleHelp)
        let full = reader.lines(90, 30)
        #expect(full.contains { $0.hasPrefix("  cannot toggle: no connection to the controller") })
        let low = reader.lines(40, 10)
        #expect(low[0] == "Sensibus demo  29 below: PgDn  esc back")
        #expect(low.allSatisfy { $0.count <= 40 })
        var read = Array(low[2..<9])
        for _ in 0..<4 {
            reader.perform(.page(1))
            read += reader.lines(40, 10)[2..<9]
        }
        #expect(full[2..<27].allSatisfy { line in read.contains { $0.prefix(36) == line.prefix(36) } })
        reader.perform(.toggleHelp)
        #expect(reader.view.focus == .table)
    }

    @Test("the help begins with the page's address, the demo account and its password")
    func address() throws {
        let reader = try Self.reader(.whole())
        reader.view.handle(
            FleetAddress(
                page: "http://127.0.0.1:8702/", email: "demo@sensibus.local", password: "s3cret\u{1b}[2J",
                runDirectory: "/srv/.sensibus"))
        reader.perform(.toggleHelp)
        let help = reader.lines(90, 30)
        #expect(help[2] == "page             http://127.0.0.1:8702/")
        #expect(help[3] == "email            demo@sensibus.local")
        #expect(help[4].hasPrefix("password         s3cret") && !help[4].contains("\u{1b}"))
        #expect(help[5] == "run dir          /srv/.sensibus")
        reader.view.handle(
            FleetAddress(page: nil, email: "demo@sensibus.local", password: nil, runDirectory: "/srv/f"))
        #expect(reader.lines(90, 30)[2] == "run dir          /srv/f")
    }

    @Test("the help of a recording shows its playback keys, and why toggling is not possible")
    func replayHelp() throws {
        let reader = try Self.reader(.whole())
        reader.driver.step(.connection(.failed("refused")))
        reader.perform(.toggleHelp)
        let live = reader.lines(90, 30)
        #expect(live.contains("Home End g G     first device, last device"))
        #expect(!live.contains { $0.contains("← →") })
        reader.view.become(.replaying)
        let replay = reader.lines()
        #expect(replay.contains("← →              10 s back, 10 s forward"))
        #expect(replay.contains("Home End         start, end of the recording"))
        #expect(!replay.contains("Home End g G     first device, last device"))
        #expect(replay.contains("  cannot toggle: this is a recording"))
    }

    @Test("a table without rows shows the reason and what to do")
    func welcome() throws {
        let reader = try Self.reader(ReplicaDriver(), role: nil)
        #expect(reader.lines()[2] == "Looking for the controller.")
        #expect(reader.lines()[3].contains("`fleet up`"))
        reader.view.become(.signedOut(advice: "run `fleet login`"))
        #expect(reader.lines()[2] == "You are not logged in.")
        #expect(reader.lines()[3].contains("run `fleet login`"))
        reader.view = try Fixture.view()
        reader.driver.step(.connection(.established))
        #expect(reader.lines()[2] == "Loading devices…")
        reader.driver.receive(Fixture.update(7, 10, .beat))
        try reader.driver.answer(Fixture.chunk(7, 10, rows: []))
        #expect(reader.lines()[2] == "This account has no devices yet.")
        let narrow = reader.lines(40, 10)
        #expect(narrow[3] == "`fleet scale 100` adds devices to a")
        #expect(narrow[4] == "running fleet, and `fleet up` starts")
    }
}
