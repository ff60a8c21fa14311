import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("The screen")
struct ScreenTests {
    /// Four devices, one on, one disconnected, one with a hostile name; two messages.
    private static func scene() throws -> (ViewModel, ReplicaDriver) {
        var driver = try ReplicaDriver.whole([
            Fixture.row(1, name: "Living room", state: Fixture.state(on: true, version: 12)),
            Fixture.row(2, name: "Küche 日本語", isConnected: false),
            Fixture.row(3, name: "\u{1b}[2J\u{202e}evil\u{7}\n"),
            Fixture.row(4, name: "A name that goes on and on until the column ends", node: 2),
        ])
        let node = try Fixture.node(2, "node-2", .offline(.nodeLost))
        driver.receive(Fixture.update(7, 11, .node(node, devices: 1)))
        driver.now = driver.now.advanced(by: .seconds(3))
        driver.receive(Fixture.update(7, 11, .beat))
        for deciCelsius in [Int16(205), 210, 215] {
            let measured = try Fixture.measured(1, deciCelsius: deciCelsius)
            driver.receive(
                Fixture.update(7, driver.replica.position.sequence.value + 1, .measured([measured])))
        }
        var view = try Fixture.view()
        for event in driver.observerEvents {
            view.handle(event)
            if case .fleet(.measured) = event.body { continue }
            view.add(EventLine(event))
        }
        view.add(EventLine(at: driver.now.wall, tone: .success, text: "Living room: toggled on by demo"))
        Fixture.press(.toggleDetailsBeside, &view, driver)
        return (view, driver)
    }

    private static func lines(
        _ view: inout ViewModel, _ driver: ReplicaDriver, _ width: Int, _ height: Int
    ) -> [ScreenLine] {
        let layout = view.layout(width: width, height: height)
        let content = view.content(
            of: driver.replica, rows: layout.tableRows, messages: layout.messageRows, width: width,
            at: driver.now)
        return Screen.lines(of: content, layout: layout)
    }

    private static func text(_ lines: [ScreenLine]) -> String {
        lines.map { line in
            var text = line.text
            while text.last == " " { text.removeLast() }
            return text
        }.joined(separator: "\n")
    }

    @Test("a screen of 80 by 24 has every column but the ID")
    func common() throws {
        var (view, driver) = try Self.scene()
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
        #expect(Self.text(Self.lines(&view, driver, 80, 24)) == expected)
    }

    @Test("rows reused from the last screen equal newly drawn rows")
    func drawnOn() throws {
        var (view, driver) = try Self.scene()
        var drawn = DrawnRows()
        func check(_ width: Int, _ height: Int) {
            let layout = view.layout(width: width, height: height)
            let content = view.content(
                of: driver.replica, rows: layout.tableRows, messages: layout.messageRows, width: width,
                at: driver.now)
            let fresh = Screen.lines(of: content, layout: layout)
            #expect(Screen.lines(of: content, layout: layout, drawn: &drawn) == fresh)
        }
        check(80, 24)
        check(80, 24)
        for intent in [ViewIntent.move(1), .nextSort, .toggleFaultsOnly, .toggleHelp, .dismiss, .last] {
            view.perform(intent, on: driver.replica, at: driver.now)
            check(80, 24)
        }
        check(120, 24)
        check(120, 9)
        driver.now = driver.now.advanced(by: .milliseconds(1_300))
        check(120, 9)
        let state = Fixture.state(on: true, version: 2)
        let sequence = driver.replica.position.sequence.value
        driver.receive(Fixture.update(7, sequence + 1, .reported(Fixture.device(3), state)))
        check(120, 9)
        driver.step(.connection(.failed("gone")))
        check(120, 9)
    }

    @Test("a screen of 40 by 10 has name, state, presence and room, and the status")
    func small() throws {
        var (view, driver) = try Self.scene()
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
        #expect(Self.text(Self.lines(&view, driver, 40, 10)) == expected)
    }

    @Test("a screen of 200 by 50 has the ID, the reason as text, and long names and trends")
    func large() throws {
        var (view, driver) = try Self.scene()
        let lines = Self.lines(&view, driver, 200, 50)
        let id = Fixture.device(4)
        #expect(
            lines[5].text.hasPrefix(
                "A name that goes on and on until the column ends \(id) off   cool 22 °C offline (node lost)")
        )
        #expect(lines[2].text.trimmed.hasSuffix("21.5 °C ▂▄▆"))
        #expect(lines[5].text.trimmed.count < 120)
    }

    @Test(
        "every line has the width of the screen, and there are as many lines as its height",
        arguments: [1, 2, 5, 29, 30, 40, 57, 58, 71, 72, 80, 200], [1, 2, 3, 4, 7, 8, 10, 24, 50])
    func exact(width: Int, height: Int) throws {
        var (view, driver) = try Self.scene()
        let lines = Self.lines(&view, driver, width, height)
        #expect(lines.count == height)
        #expect(lines.allSatisfy { $0.width == width })
        view.perform(.toggleHelp, on: driver.replica, at: driver.now)
        for _ in 0..<2 {
            let page = Self.lines(&view, driver, width, height)
            #expect(page.count == height)
            #expect(page.allSatisfy { $0.width == width })
            view.perform(.dismiss, on: driver.replica, at: driver.now)
            view.perform(.showDetails, on: driver.replica, at: driver.now)
        }
    }

    @Test("names are shown as text without control characters")
    func hostile() throws {
        var (view, driver) = try Self.scene()
        for line in Self.lines(&view, driver, 80, 24) {
            #expect(
                line.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202e}" && $0 != "\u{7f}" }
            )
        }
    }

    @Test("without a connection the last known state is dimmed, and the status has its age")
    func disconnected() throws {
        var (view, driver) = try Self.scene()
        driver.step(.connection(.failed("refused")))
        driver.now = driver.now.advanced(by: .seconds(12))
        let lines = Self.lines(&view, driver, 80, 24)
        #expect(lines[2].text.hasPrefix("Living room"))
        #expect(lines[3].spans.allSatisfy { $0.style.isDim })
        view.perform(.showDetails, on: driver.replica, at: driver.now)
        let details = Self.lines(&view, driver, 80, 24)[2..<14].filter { !$0.text.trimmed.isEmpty }
        #expect(details.contains { $0.text.hasPrefix("state     on") })
        #expect(details.allSatisfy { $0.spans.allSatisfy { $0.style.isDim && $0.style.color == nil } })
        view.perform(.toggleHelp, on: driver.replica, at: driver.now)
        #expect(!Self.lines(&view, driver, 80, 24)[2].spans.contains { $0.style.isDim })
        #expect(
            lines[22].text.trimmed
                == "● connection error  stale 12s  2/4 online  0 updates/s")
    }

    @Test("the selected row is reversed, and its plot is not", arguments: [80, 120, 200])
    func selected(width: Int) throws {
        var (view, driver) = try Self.scene()
        for isDisconnected in [false, true] {
            if isDisconnected { driver.step(.connection(.failed("refused"))) }
            let row = Self.lines(&view, driver, width, 24)[2]
            let plot = try #require(row.spans.firstIndex { $0.text.hasPrefix("▂▄▆") })
            #expect(!row.spans[plot].style.isReversed)
            #expect(row.spans.prefix(plot).allSatisfy { $0.style.isReversed })
        }
    }

    @Test("the selected row is reversed, offline is red, and on is green")
    func styles() throws {
        var (view, driver) = try Self.scene()
        let lines = Self.lines(&view, driver, 80, 24)
        #expect(lines[2].spans.dropLast().allSatisfy { $0.style.isReversed })
        #expect(lines[2].spans.contains { $0.text.hasPrefix("on") && $0.style.color == .green })
        #expect(lines[3].spans.contains { $0.text.hasPrefix("no link") && $0.style.color == .red })
    }

    /// The scene for an observer with a condition.
    private static func scene(where text: String) throws -> (ViewModel, ReplicaDriver) {
        let (_, driver) = try scene()
        var view = ViewModel(
            account: "demo", condition: try Condition.parse(text), random: SeededGenerator(seed: 1))
        view.become(.signedIn(try #require(Email("demo@sensibus.local")), .member))
        return (view, driver)
    }

    @Test(
        "the title shows the condition, as much as fits beside the row numbers",
        arguments: [
            (80, "power on", "Sensibus demo  where power on  by slot  1–1 of 1  ? keys"),
            (40, "power on", "Sensibus demo  where power on  1–1 of 1"),
            (40, "power on or node node-2", "Sensibus demo  where power on…  1–2 of 2"),
            (
                60, "power on or node node-2",
                "Sensibus demo  where power on or…  by slot  1–2 of 2  ? keys"
            ),
        ])
    func condition(width: Int, text: String, title: String) throws {
        var (view, driver) = try Self.scene(where: text)
        let lines = Self.lines(&view, driver, width, 10)
        #expect(lines[0].text.trimmed == title)
        #expect(lines[2].text.hasPrefix("Living room"))
    }

    @Test("a title with a condition has the width of the screen", arguments: 1...120)
    func conditionWidths(width: Int) throws {
        var (view, driver) = try Self.scene(where: #"device "Küche 日本語" or power on and temperature > 20"#)
        view.perform(.toggleFaultsOnly, on: driver.replica, at: driver.now)
        #expect(Self.lines(&view, driver, width, 10).allSatisfy { $0.width == width })
        view.perform(.showDetails, on: driver.replica, at: driver.now)
        #expect(Self.lines(&view, driver, width, 10).allSatisfy { $0.width == width })
    }

    @Test("a condition is shown beside a typed filter, and an empty table names the unmet condition")
    func conditionAndFilter() throws {
        var (view, driver) = try Self.scene(where: "temperature > 40 and power on")
        var lines = Self.lines(&view, driver, 80, 24)
        #expect(
            lines[0].text.trimmed
                == "Sensibus demo  where temperature > 40 and power on  by slot  0–0 of 0")
        #expect(lines[2].text.trimmed == "no device now where temperature > 40 and power on")
        view.perform(.beginFilter, on: driver.replica, at: driver.now)
        view.perform(.type("-"), on: driver.replica, at: driver.now)
        lines = Self.lines(&view, driver, 80, 24)
        #expect(
            lines[0].text.trimmed
                == "Sensibus demo  /-▏  where temperature > 40 and power on  by slot  0–0 of 0")
        #expect(
            lines[2].text.trimmed == "no device matches “-”, where temperature > 40 and power on")
        view.perform(.dismiss, on: driver.replica, at: driver.now)
        lines = Self.lines(&view, driver, 80, 24)
        #expect(lines[0].text.trimmed == "Sensibus demo  by slot  1–4 of 4")
    }

    @Test("conditions are shown as text without control characters")
    func hostileCondition() throws {
        var (view, driver) = try Self.scene(where: "site \"\u{1b}[2J\u{202e}\"")
        for line in Self.lines(&view, driver, 80, 24) {
            #expect(line.text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0 != "\u{202e}" })
        }
    }

    @Test("the page's address ends the status line if it fits, and replaces nothing")
    func address() throws {
        let driver = try ReplicaDriver.whole()
        var view = try Fixture.view()
        view.handle(
            FleetAddress(
                page: "http://127.0.0.1:8701/", email: "demo@sensibus.local", password: "s3cret",
                runDirectory: "/srv/.sensibus"))
        let wide = Self.lines(&view, driver, 90, 24)[22].text.trimmed
        #expect(wide.hasPrefix("● established"))
        #expect(wide.hasSuffix(" updates/s  http://127.0.0.1:8701/"))
        let narrow = Self.lines(&view, driver, 60, 24)[22].text.trimmed
        #expect(narrow.hasSuffix(" updates/s"))
    }

    @Test("the title shows filter, faults and pause, and the help replaces the table")
    func titles() throws {
        var (view, driver) = try Self.scene()
        view.perform(.beginFilter, on: driver.replica, at: driver.now)
        view.perform(.type("-"), on: driver.replica, at: driver.now)
        view.perform(.toggleFaultsOnly, on: driver.replica, at: driver.now)
        view.perform(.togglePause, on: driver.replica, at: driver.now)
        driver.receive(Fixture.update(7, 15, .connection(Fixture.device(1), isConnected: false)))
        var lines = Self.lines(&view, driver, 80, 24)
        #expect(lines[0].text.trimmed == "Sensibus demo  /-▏  faults only  by slot  0–0 of 0")
        #expect(lines[2].text.trimmed == "no device matches “-” and is not online")
        #expect(lines[22].text.contains("paused, +1 while paused"))
        view.perform(.toggleHelp, on: driver.replica, at: driver.now)
        lines = Self.lines(&view, driver, 80, 40)
        #expect(Self.text(lines).contains("q, Ctrl-C        quit"))
    }
}

extension String {
    /// Without trailing blanks.
    fileprivate var trimmed: String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
