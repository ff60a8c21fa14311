import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("The mouse")
struct MouseTests {
    /// A screen of 160 by 40: headings on line 1, devices from line 2 on, the log from line 32 on.
    private static func reader() throws -> ScreenReader {
        try ScreenReader(.whole((1...60).map { Fixture.row($0) }))
    }

    private static func selected(_ reader: ScreenReader) -> String? {
        let line = reader.screen().first { $0.spans.first?.style.isReversed == true }
        return line.map { String($0.text.prefix(10)).split(separator: " ").joined(separator: " ") }
    }

    @Test("a click selects the device on its line, and does nothing below the last one")
    func select() throws {
        let reader = try Self.reader()
        reader.press(.click(column: 3, line: 5))
        #expect(Self.selected(reader) == "Bedroom 4")
        #expect(reader.panes()[1].details == "Bedroom 4")
        reader.press(.character("/"))
        reader.type("Bedroom 6")
        reader.press(.click(column: 3, line: 2))
        #expect(reader.view.focus == .filter, "while a text is typed the mouse does nothing")
        reader.press(.enter)
        reader.press(.click(column: 3, line: 3))
        #expect(Self.selected(reader) == "Bedroom 60")
        reader.press(.click(column: 3, line: 20))
        #expect(Self.selected(reader) == "Bedroom 60")
    }

    @Test("a click on a heading sorts by its column, and a second one reverses the order")
    func sort() throws {
        let reader = try Self.reader()
        let headings = reader.lines()[1]
        for (title, sort) in [("name", TableSort.name), ("state", .state), ("version", .version)] {
            let start = try #require(headings.firstRange(of: title)?.lowerBound)
            let column = headings.distance(from: headings.startIndex, to: start)
            reader.press(.click(column: column, line: 1))
            #expect((reader.view.settings.sort, reader.view.settings.isReversed) == (sort, false))
            reader.press(.click(column: column, line: 1))
            #expect((reader.view.settings.sort, reader.view.settings.isReversed) == (sort, true))
        }
        let mode = try #require(headings.firstRange(of: "mode")?.lowerBound)
        reader.press(.click(column: headings.distance(from: headings.startIndex, to: mode), line: 1))
        #expect(reader.view.sort == .version, "nothing is sorted by mode")
    }

    @Test("clicks move the focus between table, details and log; a page ignores them")
    func panes() throws {
        let reader = try Self.reader()
        reader.press(.click(column: 140, line: 6))
        #expect(reader.view.focus == .details)
        reader.press(.click(column: 10, line: 34))
        #expect(reader.view.focus == .log)
        reader.press(.click(column: 10, line: 2))
        #expect(reader.view.focus == .table)
        reader.press(.click(column: 10, line: 39), .click(column: 10, line: 0))
        #expect(reader.view.focus == .table)
        reader.press(.character("?"))
        reader.press(.click(column: 10, line: 6))
        #expect(reader.view.focus == .help)
    }

    @Test("the wheel scrolls the pane under it, and a page")
    func wheel() throws {
        let reader = try Self.reader()
        reader.press(.wheel(3, column: 3, line: 10), .wheel(3, column: 3, line: 10))
        #expect(Self.selected(reader) == "Bedroom 7")
        reader.press(.wheel(-3, column: 3, line: 10))
        #expect(Self.selected(reader) == "Bedroom 4")
        for number in 0..<30 { reader.add("message \(number)") }
        reader.press(.wheel(-3, column: 3, line: 34))
        #expect(reader.view.focus == .table)
        #expect(!reader.lines().contains { $0.hasSuffix("message 29") })
        #expect(reader.lines().contains { $0.hasSuffix("message 26") })
        reader.height = 16
        reader.press(.wheel(3, column: 140, line: 5))
        #expect(reader.panes()[1].details != "Bedroom 4")
        reader.press(.character("?"))
        let top = reader.lines()[2]
        reader.press(.wheel(3, column: 3, line: 5))
        #expect(reader.lines()[2] != top)
    }

    @Test("each place of a layout has one part", arguments: [(160, 40), (80, 24), (40, 10), (20, 3)])
    func places(width: Int, height: Int) {
        for hasDuty in [false, true] {
            let layout = ScreenLayout(
                width: width, height: height, hasDuty: hasDuty, hasKeys: true, hasDetails: true)
            let places = (0..<height).map { layout.place(column: 0, line: $0) }
            let rows = places.compactMap { if case .table(let line) = $0 { line } else { nil } }
            #expect(rows == Array(0..<layout.tableRows))
            #expect(
                places.filter { $0 == .log }.count == (layout.messageRows > 0 ? layout.messageRows + 1 : 0))
            let headings = places.filter { if case .heading = $0 { true } else { false } }
            #expect(headings.count == (height >= 4 ? 1 : 0))
            #expect(layout.place(column: width, line: 0) == .elsewhere)
            #expect(layout.place(column: 0, line: height) == .elsewhere)
        }
    }
}
