import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("The screen")
struct ScreenTests {
    /// Four devices, one on, one disconnected, one with a hostile name; two messages; no details.
    private static func scene(where condition: String = "") throws -> ScreenReader {
        var driver = try ReplicaDriver.whole([
            Fixture.row(1, name: "Living room", state: Fixture.state(on: true, version: 12)),
            Fixture.row(2, name: "Küche 日本語", isConnected: false),
            Fixture.row(3, name: "\u{1b}[2J\u{202e}evil\u{7}\n"),
            Fixture.row(4, name: "A name that goes on and on until the column ends", node: 2),
        ])
        let node = try Fixture.node(2, "node-2", .offline(.nodeLost))
        driver.receive(.node(node, devices: 1))
        driver.now = driver.now.advanced(by: .seconds(3))
        driver.receive(.beat)
        for deciCelsius in [Int16(205), 210, 215] {
            driver.receive(.measured([try Fixture.measured(1, deciCelsius: deciCelsius)]))
        }
        let reader = try ScreenReader(driver, view: Fixture.view(where: condition), width: 80, height: 24)
        for event in driver.observerEvents {
            reader.view.handle(event)
            if case .fleet(.measured) = event.body { continue }
            reader.view.add(EventLine(event))
        }
        reader.add("Living room: toggled on by demo", tone: .success)
        reader.perform(.toggleDetailsBeside)
        return reader
    }

    @Test("a screen of 80 by 24 has every column but the ID")
    func common() throws {
        let reader = try Self.scene()
        let expected = """
            Sensibus demo  by slot  1–4 of 4
            name                state mode       presence    version change    room trend
            Living room         on    cool 22 °C online           12     3s 21.5 °C ▂▄▆
            Küche 日本語        off   cool 22 °C no link           1     3s
            �[2Jevil��          off   cool 22 °C online            1     3s
            A name that goes o… off   cool 22 °C node lost         1     3s










            \(String(repeating: "─", count: 80))
            ! 12:00:01 node-2 lost: 1 device offline
              12:00:04 Living room: toggled on by demo


            applied 0  failed 0  offline 0 min  0/s  p99 – ms  p50 – ms
            ● established  2/4 online  0 updates/s
            Tab log  enter details  / filter  t toggle  s sort  S reverse  ? keys  q quit
            """
        #expect(reader.lines(80, 24).joined(separator: "\n") == expected)
    }

    @Test("rows reused from the last screen equal newly drawn rows")
    func drawnOn() throws {
        let reader = try Self.scene()
        var drawn = DrawnRows()
        func check(_ width: Int, _ height: Int) {
            let fresh = reader.screen(width, height)
            #expect(Screen.lines(of: reader.content(), layout: reader.layout, drawn: &drawn) == fresh)
        }
        check(80, 24)
        check(80, 24)
        for intent in [ViewIntent.move(1), .nextSort, .toggleFaultsOnly, .toggleHelp, .dismiss, .last] {
            reader.perform(intent)
            check(80, 24)
        }
        check(120, 24)
        check(120, 9)
        reader.driver.now = reader.driver.now.advanced(by: .milliseconds(1_300))
        check(120, 9)
        reader.driver.receive(.reported(Fixture.device(3), Fixture.state(on: true, version: 2)))
        check(120, 9)
        reader.driver.step(.connection(.failed("gone")))
        check(120, 9)
    }

    @Test("a screen of 40 by 10 has name, state, presence and room, and the status")
    func small() throws {
        let reader = try Self.scene()
        let expected = """
            Sensibus demo  by slot  1–4 of 4  ? keys
            name              state presence    room
            Living room       on    online   21.5 °C
            Küche 日本語      off   offline
            �[2Jevil��        off   online
            A name that goes… off   offline
            \(String(repeating: "─", count: 40))
              12:00:04 Living room: toggled on by
                       demo
            ● established  2/4 online  0 updates/s
            """
        #expect(reader.lines(40, 10).joined(separator: "\n") == expected)
    }

    @Test("a screen of 200 by 50 has the ID, the reason as text, and long names and trends")
    func large() throws {
        let reader = try Self.scene()
        let lines = reader.screen(200, 50)
        let id = Fixture.device(4)
        #expect(
            lines[5].text.hasPrefix(
                "A name that goes on and on until the column ends \(id) off   cool 22 °C offline (node lost)")
        )
        #expect(lines[2].trimmed.hasSuffix("21.5 °C ▂▄▆"))
        #expect(lines[5].trimmed.count < 120)
    }

    @Test(
        "every line has the width of the screen, and there are as many lines as its height",
        arguments: [1, 2, 5, 29, 30, 40, 57, 58, 71, 72, 80, 200], [1, 2, 3, 4, 7, 8, 10, 24, 50])
    func exact(width: Int, height: Int) throws {
        let reader = try Self.scene()
        _ = reader.screen(width, height)
        reader.perform(.toggleHelp)
        for _ in 0..<2 {
            _ = reader.screen()
            reader.perform(.dismiss, .showDetails)
        }
    }

    @Test(
        "names and conditions are shown as text without control characters",
        arguments: ["", "site \"\u{1b}[2J\u{202e}\""])
    func hostile(condition: String) throws {
        for line in try Self.scene(where: condition).lines() {
            #expect(line.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202e}" && $0 != "\u{7f}" })
        }
    }

    @Test("without a connection the last known state is dimmed, and the status has its age")
    func disconnected() throws {
        let reader = try Self.scene()
        reader.driver.step(.connection(.failed("refused")))
        reader.driver.now = reader.driver.now.advanced(by: .seconds(12))
        let lines = reader.screen(80, 24)
        #expect(lines[2].text.hasPrefix("Living room"))
        #expect(lines[3].spans.allSatisfy { $0.style.isDim })
        reader.perform(.showDetails)
        let details = reader.screen(80, 24)[2..<14].filter { !$0.trimmed.isEmpty }
        #expect(details.contains { $0.text.hasPrefix("state     on") })
        #expect(details.allSatisfy { $0.spans.allSatisfy { $0.style.isDim && $0.style.color == nil } })
        reader.perform(.toggleHelp)
        #expect(!reader.screen(80, 24)[2].spans.contains { $0.style.isDim })
        #expect(lines[22].trimmed == "● connection error  stale 12s  2/4 online  0 updates/s")
    }

    @Test("the selected row is reversed, and its plot is not", arguments: [80, 120, 200])
    func selected(width: Int) throws {
        let reader = try Self.scene()
        for isDisconnected in [false, true] {
            if isDisconnected { reader.driver.step(.connection(.failed("refused"))) }
            let row = reader.screen(width, 24)[2]
            let plot = try #require(row.spans.firstIndex { $0.text.hasPrefix("▂▄▆") })
            #expect(!row.spans[plot].style.isReversed)
            #expect(row.spans.prefix(plot).allSatisfy { $0.style.isReversed })
        }
    }

    @Test("offline is red, and on is green")
    func styles() throws {
        let reader = try Self.scene()
        let lines = reader.screen(80, 24)
        #expect(lines[2].spans.contains { $0.text.hasPrefix("on") && $0.style.color == .green })
        #expect(lines[3].spans.contains { $0.text.hasPrefix("no link") && $0.style.color == .red })
    }

    @Test(
        "the title shows the condition, as much as fits beside the row numbers",
        arguments: [
            (80, "power on", "Sensibus demo  where power on  by slot  1–1 of 1  ? keys"),
            (40, "power on", "Sensibus demo  where power on  1–1 of 1"),
            (40, "power on or node node-2", "Sensibus demo  where power on…  1–2 of 2"),
            (60, "power on or node node-2", "Sensibus demo  where power on or…  by slot  1–2 of 2  ? keys"),
        ])
    func condition(width: Int, text: String, title: String) throws {
        let reader = try Self.scene(where: text)
        let lines = reader.lines(width, 10)
        #expect(lines[0] == title)
        #expect(lines[2].hasPrefix("Living room"))
    }

    @Test("a title with a condition has the width of the screen", arguments: 1...120)
    func conditionWidths(width: Int) throws {
        let reader = try Self.scene(where: #"device "Küche 日本語" or power on and temperature > 20"#)
        reader.perform(.toggleFaultsOnly)
        _ = reader.screen(width, 10)
        reader.perform(.showDetails)
        _ = reader.screen(width, 10)
    }

    @Test("a condition is shown beside a typed filter, and an empty table names the unmet condition")
    func conditionAndFilter() throws {
        let reader = try Self.scene(where: "temperature > 40 and power on")
        var lines = reader.lines(80, 24)
        #expect(lines[0] == "Sensibus demo  where temperature > 40 and power on  by slot  0–0 of 0")
        #expect(lines[2] == "no device now where temperature > 40 and power on")
        reader.perform(.beginFilter, .type("-"))
        lines = reader.lines(80, 24)
        #expect(lines[0] == "Sensibus demo  /-▏  where temperature > 40 and power on  by slot  0–0 of 0")
        #expect(lines[2] == "no device matches “-”, where temperature > 40 and power on")
        reader.perform(.dismiss)
        lines = reader.lines(80, 24)
        #expect(lines[0] == "Sensibus demo  by slot  1–4 of 4")
    }

    @Test("the page's address ends the status line if it fits, and replaces nothing")
    func address() throws {
        let reader = try ScreenReader(.whole())
        reader.view.handle(
            FleetAddress(
                page: "http://127.0.0.1:8701/", email: "demo@sensibus.local", password: "s3cret",
                runDirectory: "/srv/.sensibus"))
        let wide = reader.lines(90, 24)[22]
        #expect(wide.hasPrefix("● established"))
        #expect(wide.hasSuffix(" updates/s  http://127.0.0.1:8701/"))
        let narrow = reader.lines(60, 24)[22]
        #expect(narrow.hasSuffix(" updates/s"))
    }

    @Test("the title shows filter, faults and pause, and the help replaces the table")
    func titles() throws {
        let reader = try Self.scene()
        reader.perform(.beginFilter, .type("-"), .toggleFaultsOnly, .togglePause)
        reader.driver.receive(.connection(Fixture.device(1), isConnected: false))
        var lines = reader.lines(80, 24)
        #expect(lines[0] == "Sensibus demo  /-▏  faults only  by slot  0–0 of 0")
        #expect(lines[2] == "no device matches “-” and is not online")
        #expect(lines[22].contains("paused, +1 while paused"))
        reader.perform(.toggleHelp)
        lines = reader.lines(80, 40)
        #expect(lines.contains { $0.contains("q, Ctrl-C        quit") })
    }
}

@Suite("The title of the screen")
struct ScreenTitleTests {
    @Test(
        "the title keeps the hint for the help, at any number of devices",
        arguments: [
            (40, 9, "Sensibus demo  by slot  1–4 of 9  ? keys"), (40, 10, "Sensibus demo  1–4 of 10  ? keys"),
            (40, 2_000, "Sensibus demo  1–4 of 2000  ? keys"),
            (42, 10, "Sensibus demo  by slot  1–4 of 10  ? keys"), (31, 10, "Sensibus demo  1–4 of 10"),
        ])
    func keysInTitle(width: Int, devices: Int, title: String) throws {
        let reader = try ScreenReader(.whole((0..<devices).map { Fixture.row($0) }))
        #expect(reader.lines(width, 10)[0] == title)
        reader.perform(.showDetails)
        #expect(reader.lines(width, 10)[0].hasSuffix("  esc back"))
    }

    @Test(
        "an awaited condition is at the end of the status line, as much as fits",
        arguments: [
            (100, #"0 updates/s  until device "Bedroom 7" on"#), (53, "0 updates/s  until device…"),
            (47, "0 updates/s"),
        ])
    func awaited(width: Int, end: String) throws {
        let reader = try ScreenReader(.whole())
        reader.view.await("device \"Bedroom 7\" on")
        let status = reader.lines(width, 10)[9]
        #expect(status.hasSuffix(end), "\(status)")
    }

    @Test("the title shows a recording's account as text without control characters")
    func hostileAccount() throws {
        let view = ViewModel(
            account: "\u{1b}]0;pwned\u{7}\u{1b}[2J\u{202e}x", random: SeededGenerator(seed: 1))
        let title = try ScreenReader(.whole(), view: view).lines(80, 10)[0]
        #expect(title.hasPrefix("Sensibus �]0;pwned��[2Jx  by slot"))
        #expect(title.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202e}" })
    }
}
