import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("The message log")
struct MessageLogTests {
    private static let advice = "the end of its advice"

    private static func message(
        _ number: Int, isError: Bool = false, text: String = "", after: Duration = .zero
    ) -> EventLine {
        EventLine(
            at: Fixture.start.wall.advanced(by: after), tone: isError ? .failure : .neutral,
            text: "message \(number)\(text)")
    }

    /// A screen of a user without a session.
    private static func reader(eastOfUTC: Duration = .zero) throws -> ScreenReader {
        try ScreenReader(.whole(), view: Fixture.view(eastOfUTC: eastOfUTC, role: nil), width: 80, height: 24)
    }

    @Test("the message log keeps an error after 10,000 other messages, and stays within its limits")
    func bounded() {
        var log = MessageLog()
        log.append(Self.message(0, isError: true))
        for number in 1...10_000 { log.append(Self.message(number)) }
        #expect(log.entries(errorsOnly: false).count == MessageLog.limit + 1)
        #expect(log.entries(errorsOnly: false).first?.line.text == "message 0")
        #expect(log.entries(errorsOnly: true).map(\.line.text) == ["message 0"])
        for number in 0..<3_000 { log.append(Self.message(number, isError: true)) }
        #expect(log.entries(errorsOnly: true).count == 3_000)
        #expect(log.entries(errorsOnly: true).count { $0.repeats == nil } == MessageLog.limit)
        #expect(log.entries(errorsOnly: false).count == 3_000)
        #expect(log.entries(errorsOnly: true).last?.line.text == "message 2999")
    }

    @Test("an error can be found hours later, among more messages than are stored")
    func found() throws {
        let reader = try Self.reader()
        reader.view.add(Self.message(0, isError: true, text: ": the disk is full"))
        for number in 1...5_000 { reader.view.add(Self.message(number, after: .seconds(number))) }
        #expect(!reader.lines().contains { $0.contains("the disk is full") })
        reader.press(.character("!"))
        #expect(reader.lines()[1] == "log: errors only")
        #expect(reader.page() == ["2026-01-31", "! 12:00:01 message 0: the disk is full"])
        #expect(reader.lines()[0] == "Sensibus demo  1–1 of 1")
        reader.press(.character("!"))
        reader.press(.home)
        #expect(
            reader.page().prefix(3) == [
                "2026-01-31", "! 12:00:01 message 0: the disk is full", "  12:50:02 message 3001",
            ])
        reader.press(.escape)
        #expect(reader.view.focus == .table)
    }

    @Test(
        "the log page shows every line, by lines and by screens, with long messages wrapped",
        arguments: [(80, 24), (40, 10), (25, 5), (12, 4)])
    func whole(width: Int, height: Int) throws {
        let reader = try Self.reader()
        (reader.width, reader.height) = (width, height)
        // No two lines in a row are the same, so that each step is seen.
        let path = "/a/path/" + (100..<125).map { "x\($0)" }.joined()
        let longText = (0..<20).map { " word\($0)" }.joined() + " " + path
        for number in 0..<30 { reader.view.add(Self.message(number, isError: true, text: longText)) }
        reader.press(.character("l"))
        let end = reader.page()
        func steps(_ key: Key, from start: Key) -> [[String]] {
            reader.press(start)
            var pages = [reader.page()]
            while pages.count < 5_000 {
                reader.press(key)
                let next = reader.page()
                guard next != pages.last else { break }
                pages.append(next)
            }
            return pages
        }
        let down = steps(.down, from: .home)
        #expect(down.last == end)
        let lines = (down.first ?? []) + down.dropFirst().compactMap(\.last)
        let text = lines.map { $0.dropFirst(width < 24 ? 2 : 11) }.joined().filter { $0 != " " }
        for number in 0..<30 {
            #expect(text.contains("message\(number)" + longText.filter { $0 != " " }))
        }
        let screens = steps(.pageDown, from: .home)
        #expect(Set(screens.joined()) == Set(lines))
        #expect(screens.count < down.count || height == 4)
        let up = steps(.up, from: .end)
        #expect(up == Array(down.reversed()))
        let back = steps(.pageUp, from: .end)
        #expect(back.last == down.first)
    }

    @Test("the log page stays in place while messages arrive, and at its end shows the new ones")
    func stays() throws {
        let reader = try Self.reader()
        for number in 0..<100 { reader.view.add(Self.message(number)) }
        reader.press(.character("l"))
        #expect(reader.page().last == "  12:00:01 message 99")
        reader.view.add(Self.message(100))
        #expect(reader.page().last == "  12:00:01 message 100")
        reader.press(.up)
        let before = reader.page()
        #expect(before.last == "  12:00:01 message 99")
        reader.view.add(Self.message(101))
        #expect(reader.page() == before)
        reader.press(.end)
        #expect(reader.page().last == "  12:00:01 message 101")
        // The message at the top was dropped, so the oldest remaining one is there.
        reader.press(.home)
        for number in 0..<MessageLog.limit { reader.view.add(Self.message(number)) }
        #expect(reader.page().first == "2026-01-31")
        #expect(reader.page().dropFirst().first == "  12:00:01 message 0")
    }

    @Test("the log page shows all messages again around the error that was on top")
    func context() throws {
        let reader = try Self.reader()
        for number in 0..<300 { reader.view.add(Self.message(number, isError: number % 50 == 0)) }
        reader.press(.character("!"))
        reader.height = 6
        _ = reader.page()
        reader.press(.home)
        reader.press(.down)
        reader.press(.down)
        #expect(reader.page().first == "! 12:00:01 message 50")
        reader.press(.character("!"))
        #expect(reader.page().prefix(2) == ["! 12:00:01 message 50", "  12:00:01 message 51"])
    }

    @Test("errors are marked and wrapped below the table, and a low screen shows their last lines")
    func pane() throws {
        let reader = try Self.reader()
        let long = " " + String(repeating: "and so on ", count: 12) + Self.advice
        reader.view.add(Self.message(1, isError: true, text: long))
        let text = reader.lines().joined(separator: "\n")
        #expect(text.contains("! 12:00:01 message 1 and so on"))
        #expect(text.contains("\n           "))
        func shownText() -> String {
            reader.lines().joined(separator: " ").split(separator: " ").joined(separator: " ")
        }
        #expect(shownText().contains(Self.advice))
        (reader.width, reader.height) = (40, 10)
        #expect(shownText().contains(Self.advice))
    }

    @Test("the log page has each day's date once, and every time as a local time")
    func days() throws {
        let reader = try Self.reader(eastOfUTC: .seconds(13 * 3_600))
        reader.view.add(Self.message(1))
        reader.view.add(Self.message(2, after: .seconds(60)))
        reader.view.add(Self.message(3, after: .seconds(86_400)))
        reader.press(.character("l"))
        let expected = [
            "2026-02-01", "  01:00:01 message 1", "  01:01:01 message 2", "2026-02-02",
            "  01:00:01 message 3",
        ]
        #expect(reader.page() == expected)
    }

    @Test("each error that no file has is returned once")
    func unstored() throws {
        var view = try Fixture.view()
        view.add(Self.message(0, isError: true), isStored: true)
        view.add(Self.message(1, isError: true))
        view.add(Self.message(2))
        #expect(view.unstoredErrors(from: 0).map(\.text) == ["message 1"])
        let count = view.messageCount
        #expect(view.unstoredErrors(from: count).isEmpty)
        view.add(Self.message(3, isError: true))
        #expect(view.unstoredErrors(from: count).map(\.text) == ["message 3"])
    }

    @Test(
        "text is broken between words, and within words that are wider than a line",
        arguments: [
            ("", 5, [""]), ("one two three", 7, ["one two", "three"]), ("one", 3, ["one"]),
            ("a longerword b", 6, ["a", "longer", "word b"]), ("日本 語", 4, ["日本", "語"]),
            ("日本語", 5, ["日本", "語"]), ("日", 1, ["日"]),
        ])
    func wrapped(text: String, width: Int, lines: [String]) {
        #expect(WrappedText.lines(of: text, in: width) == lines)
    }

    @Test("a line of a process's log is a message; from level `warning` on it is an error")
    func processLine() throws {
        let line = try #require(
            ProcessLogLine("2026-01-31T12:00:01.234Z error supervisor: node-1 was ended by signal 9 (kill)"))
        #expect(line.at == Fixture.start.wall)
        #expect((line.level, line.process) == ("error", "supervisor"))
        #expect(line.message.tone == .failure)
        #expect(line.message.text == "node-1 was ended by signal 9 (kill)")
        let info = try #require(ProcessLogLine("2026-01-31T12:00:01.234Z info supervisor: started\u{1b}[2J"))
        #expect(info.message.tone == .neutral)
        #expect(info.message.text == "started\u{fffd}[2J")
        #expect(ProcessLogLine("fleet: ready, supervisor pid 1") == nil)
        #expect(ProcessLogLine("2026-01-31T12:00:01.234Z error supervisor") == nil)
    }
}

extension ScreenReader {
    /// The lines of the page.
    fileprivate func page() -> [String] {
        lines().dropFirst(2).prefix(layout.tableRows).filter { !$0.isEmpty }
    }
}
