import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("The log below the table")
struct LogPaneTests {
    private static func message(_ number: Int, isError: Bool = false) -> EventLine {
        EventLine(at: Fixture.start.wall, tone: isError ? .failure : .neutral, text: "message \(number)")
    }

    /// A screen with that many messages, each tenth an error.
    private static func reader(messages: Int = 100) throws -> ScreenReader {
        let reader = try ScreenReader(
            .whole((0..<40).map { Fixture.row($0, name: "Room \($0)") }), width: 80, height: 24)
        for number in 0..<messages { reader.view.add(message(number, isError: number % 10 == 0)) }
        return reader
    }

    @Test("Tab moves the focus from the devices to the log and the details, and back to the devices")
    func panes() throws {
        let reader = try Self.reader()
        var focuses: [ViewFocus] = []
        for key in [Key.tab, .tab, .tab, .backTab, .backTab, .backTab] {
            reader.press(key)
            focuses.append(reader.view.focus)
        }
        #expect(focuses == [.log, .details, .table, .details, .log, .table])
        let empty = try ScreenReader(.whole([]))
        for focus in [ViewFocus.log, .table] {
            empty.perform(.nextPane(1))
            #expect(empty.view.focus == focus)
        }
    }

    @Test(
        "the last line has the keys of the focus, and the keys for help and quit, in any width",
        arguments: 1...120)
    func keys(width: Int) throws {
        let reader = try Self.reader(messages: 1)
        reader.width = width
        for (key, first) in [
            (Key.other, "Tab log"), (.tab, "esc back"), (.character("/"), "enter keep the filter"),
        ] {
            reader.press(key)
            let bar = reader.lines()[23]
            guard width >= 40 else { continue }
            #expect(bar.hasPrefix(first))
            #expect(bar.contains("? keys  q quit") == (reader.view.focus != .logFilter))
        }
    }

    @Test("the sorted column has a mark, which follows a reversal")
    func sortMark() throws {
        let reader = try Self.reader(messages: 0)
        let headings = [
            "name▲               state mode       presence    version change    room trend",
            "name                state▼mode       presence    version change    room trend",
            "name                state mode       presence▲   version change    room trend",
            "name                state mode       presence    version▲change    room trend",
            "name                state mode       presence   ▼version change    room trend",
            "name                state mode       presence    version change   ▼room trend",
        ]
        for heading in headings {
            reader.press(.character("s"))
            #expect(reader.lines()[1].hasPrefix(heading))
        }
        reader.press(.character("S"))
        #expect(reader.lines()[1].contains("▲room"))
        #expect(reader.lines()[0].contains("by room, reversed"))
        reader.press(.character("s"), .character("S"), .home)
        #expect(reader.lines()[2].hasPrefix("Room 39 "))
        reader.press(.character("s"), .character("S"), .home)
        #expect(reader.lines()[0].contains("by name, reversed"))
        #expect(reader.lines()[2].hasPrefix("Room 39 ") && reader.lines()[3].hasPrefix("Room 38 "))
    }

    @Test("Ctrl-Z suspends the observer, but not with the fleet")
    func suspends() throws {
        let reader = try ScreenReader(.whole())
        #expect(reader.perform(.suspend) == .suspend)
        reader.view.stopFleetAtQuit()
        #expect(reader.perform(.suspend) == nil)
        #expect(reader.hint?.contains("`fleet up --detach`") == true)
    }

    @Test("with the focus the log scrolls below the devices, and stays in place when the focus leaves it")
    func scrolls() throws {
        let reader = try Self.reader()
        #expect(reader.log() == ("", "12:00:01 message 99"))
        reader.press(.tab)
        #expect(reader.log().edge.contains("–100 of 100"))
        let before = reader.lines()[2]
        reader.press(.up, .pageUp)
        let place = reader.log()
        #expect(place.last != "12:00:01 message 99")
        #expect(reader.lines()[2] == before)
        reader.press(.tab, .tab)
        #expect(reader.view.focus == .table)
        reader.view.add(Self.message(100))
        #expect(reader.log().last == place.last)
        #expect(reader.log().edge.contains("of 101"))
        reader.press(.tab, .escape)
        #expect(reader.view.focus == .table)
        #expect(reader.log() == ("", "12:00:01 message 100"))
    }

    @Test("a text filters the log, and not the devices, until esc")
    func filter() throws {
        let reader = try Self.reader()
        reader.press(.tab, .character("/"))
        reader.type("ESSAGE 2")
        #expect(reader.view.focus == .logFilter)
        #expect(reader.log().edge.contains("/ESSAGE 2▏|"))
        #expect(reader.log().edge.contains("of 11"))
        reader.press(.enter)
        #expect(reader.view.focus == .log)
        #expect(reader.log().last == "12:00:01 message 29")
        reader.view.add(Self.message(201))
        reader.view.add(Self.message(301))
        #expect(reader.log().last == "12:00:01 message 201")
        reader.press(.character("!"))
        #expect(reader.log().last == "! 12:00:01 message 20")
        #expect(reader.log().edge.contains("log: errors only|/ESSAGE 2|"))
        #expect(reader.lines()[0].contains("1–14 of 40"))
        reader.press(.character("/"), .backspace, .escape)
        #expect(reader.view.focus == .log)
        #expect(reader.log().last == "! 12:00:01 message 90")
        reader.press(.escape)
        #expect(reader.log() == ("", "12:00:01 message 301"))
    }

    @Test("enter shows the log alone at the same messages, and a low screen always does")
    func alone() throws {
        let reader = try Self.reader()
        reader.press(.tab, .home, .enter)
        #expect(reader.lines()[1].hasPrefix("log"))
        #expect(reader.lines()[3].contains("message 0"))
        reader.press(.enter)
        #expect(reader.view.focus == .table)
        reader.height = 6
        reader.press(.tab)
        #expect(reader.lines()[1].hasPrefix("log"))
        #expect(reader.lines()[4].contains("message 99"))
    }

    @Test("each error is found by its text after thousands of others, with how often it occurred")
    func repeated() throws {
        let reader = try Self.reader(messages: 0)
        func outcome(_ device: Int, _ outcome: Outcome) throws -> EventLine {
            let report = try Fixture.report(outcome, device: Fixture.device(device))
            let named = FleetEvent.Device(id: Fixture.device(device), name: "Room \(device)", node: nil)
            return EventLine(
                ObserverEvent(
                    at: reader.driver.now.wall,
                    .outcome(FleetEvent.Outcome(report: report, device: named, before: nil))))
        }
        for version in 1...20 {
            for device in 0..<300 {
                reader.view.add(
                    try outcome(device, .conflict(Fixture.state(on: true, version: UInt64(version)))))
                if device % 30 == 0 { reader.view.add(try outcome(device, .rejected("fan \(device)"))) }
            }
        }
        let log = reader.view.messages.log.entries(errorsOnly: true)
        #expect(log.count == 310 + MessageLog.limit)
        #expect(log.reduce(0) { $0 + ($1.repeats?.count ?? 1) } == 20 * 310)
        reader.press(.character("l"), .character("/"))
        reader.type("room 270: rejected")
        reader.press(.home)
        let lines = reader.lines()
        #expect(lines[0].contains("1–8 of 8"))
        #expect(lines[3].contains("! 12:00:01 Room 270: rejected: fan 270"))
        #expect(lines[3...4].joined(separator: " ").contains(/, 13 +times, last at 12:00:01/))
    }

    @Test("a device that is shown by its ID has an error of its own")
    func names() throws {
        let report = try Fixture.report(.expired, device: Fixture.device(1))
        var counted = CountedErrors()
        for (number, name) in ["Room 1", nil, "Room 1"].enumerated() {
            let device = FleetEvent.Device(id: Fixture.device(1), name: name, node: nil)
            let end = FleetEvent.Outcome(report: report, device: device, before: nil)
            let line = EventLine(ObserverEvent(at: Fixture.start.wall, .outcome(end)))
            counted.add(MessageLog.Entry(number: number, line: line, isStored: false))
        }
        #expect(counted.entries.map { $0.repeats?.count } == [2, 1])
    }

    @Test("errors of more kinds than are stored are counted together")
    func manyKinds() {
        var counted = CountedErrors()
        for number in 0..<CountedErrors.limit + 100 {
            counted.add(
                MessageLog.Entry(number: number, line: Self.message(number, isError: true), isStored: false))
        }
        #expect(counted.entries.count == CountedErrors.limit + 1)
        #expect(counted.entries.last?.repeats?.count == 100)
        #expect(counted.entries.map(\.number) == Array(0...CountedErrors.limit))
    }
}

extension ScreenReader {
    /// The edge above the log, without its dashes, and the last message.
    fileprivate func log() -> (edge: String, last: String) {
        let lines = lines()
        let place = lines.firstIndex { $0.hasPrefix("─") } ?? 0
        let words = lines[place].split(separator: "─").joined().split(separator: "  ")
        let last = lines.last { $0.contains(" message ") } ?? ""
        return (words.joined(separator: "|"), last.split(separator: " ").joined(separator: " "))
    }
}
