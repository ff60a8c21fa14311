import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

@Suite("Groups of the table")
struct TableGroupTests {
    /// A site without a name and two with one, of which Mill 10 has no device that is online.
    private static func driver() throws -> ReplicaDriver {
        let groups = ["", "Mill 10", "Mill 9"].enumerated().map { number, site in
            SnapshotChunk.Group(
                number: GroupNumber(UInt16(number + 1)),
                group: DeviceGroup(model: .sky, site: site, firmware: "", remote: .discrete))
        }
        let rows = (1...9).map { number in
            Fixture.row(
                number, node: UInt64(number % 2 + 1), group: UInt16(number % 3 + 1),
                state: Fixture.state(on: number < 4), isConnected: number % 3 != 1)
        }
        return try .whole(
            rows, nodes: [Fixture.node(1, "node-10"), Fixture.node(2, "node-9")], groups: groups)
    }

    private static func reader() throws -> ScreenReader {
        let reader = try ScreenReader(driver())
        (reader.width, reader.height) = (80, 24)
        return reader
    }

    /// The names of the groups and devices on the screen, in order.
    private static func names(_ lines: [String]) -> [String] {
        lines.dropFirst(2).prefix { !$0.hasPrefix("──") && !$0.isEmpty }.map { line in
            line.contains(" ── ") ? line : String(line.prefix(9))
        }
    }

    @Test("b groups the devices by site, then by node, then not, with the numbers of each group")
    func cycle() throws {
        let reader = try Self.reader()
        reader.press(.character("b"))
        let lines = reader.lines()
        #expect(lines[0].contains("by slot, grouped by site"))
        #expect(lines[2].hasPrefix("Mill 9 ── 3 devices, 3 online, 1 on ──"))
        #expect(lines[6].hasPrefix("Mill 10 ── 3 devices, 0 online, 1 on ──"))
        #expect(lines[10].hasPrefix("no site ── 3 devices, 3 online, 1 on ──"))
        #expect(lines[3...5].map { $0.prefix(9) } == ["Bedroom 2", "Bedroom 5", "Bedroom 8"])
        reader.press(.character("b"))
        #expect(Self.names(reader.lines())[0].hasPrefix("node-9 ── 5 devices, 3 online, 2 on"))
        #expect(Self.names(reader.lines())[6].hasPrefix("node-10 ── 4 devices, 3 online, 1 on"))
        reader.press(.character("b"))
        #expect(Self.names(reader.lines()) == (1...9).map { "Bedroom \($0)" })
    }

    @Test("the numbers of a group follow its devices, and count only devices that the table shows")
    func counts() throws {
        let reader = try Self.reader()
        reader.press(.character("b"))
        reader.driver.receive(.reported(Fixture.device(5), Fixture.state(on: true, version: 2)))
        reader.driver.now = reader.driver.now.advanced(by: .seconds(1))
        #expect(reader.lines()[2].hasPrefix("Mill 9 ── 3 devices, 3 online, 2 on ──"))
        reader.press(.character("f"))
        #expect(reader.lines()[2].hasPrefix("Mill 10 ── 3 devices, 0 online, 1 on ──"))
        #expect(reader.lines()[0].contains("1–3 of 3"))
    }

    @Test("the selection skips the lines of groups, which stay visible above their first devices")
    func selection() throws {
        let reader = try Self.reader()
        reader.height = 10
        reader.press(.character("b"), .home)
        for number in [5, 8, 1, 4, 7, 3, 6, 9] {
            reader.press(.down)
            let selected = reader.screen().first { $0.spans.first?.style.isReversed == true }
            #expect(selected?.text.hasPrefix("Bedroom \(number) ") == true)
        }
        #expect(reader.lines()[0].contains("of 9"))
        for _ in 0..<8 { reader.press(.up) }
        #expect(reader.lines()[2].hasPrefix("Mill 9 ──"))
        #expect(reader.lines()[0].contains("1–"))
    }

    @Test("each line of a grouped table is a group or the device that maps to it", arguments: 1...12)
    func lines(count: Int) throws {
        let driver = try ReplicaDriver.whole(
            (0..<count).map { Fixture.row($0, node: UInt64($0 * $0 % 5 + 1)) },
            nodes: (1...5).map { try Fixture.node(UInt64($0), "node-\($0)") })
        var places = Array(0..<count)
        let groups = TableGroups(&places, of: driver.replica, by: .node)
        #expect(places.sorted() == Array(0..<count))
        var (devices, headings) = ([Int](), 0)
        for line in 0..<groups.lineCount(devices: count) {
            switch groups.content(ofLine: line) {
            case .group(let group):
                headings += 1
                #expect(group.first == devices.count)
                #expect(groups.isFirst(devices.count))
            case .device(let index):
                #expect(groups.line(ofDevice: index) == line)
                devices.append(index)
            }
        }
        #expect(devices == Array(0..<count))
        #expect(headings == groups.groups.count)
        #expect(groups.groups.map(\.devices).reduce(0, +) == count)
    }

    @Test("a grouped table exports its devices in the order of the screen")
    func export() throws {
        let reader = try Self.reader()
        reader.press(.character("b"), .character("e"), .enter)
        guard case .export(let export) = reader.perform(.export, .accept) else {
            Issue.record("no export")
            return
        }
        let records = String(decoding: export.content, as: UTF8.self).split(separator: "\r\n").dropFirst()
        #expect(records.count == 9)
        #expect(records.first?.contains("Bedroom 2") == true)
    }
}

@Suite("The columns of the table")
struct ColumnChoiceTests {
    @Test("C hides and shows columns, and the name always stays")
    func dialog() throws {
        let reader = try ScreenReader(.whole())
        reader.width = 80
        reader.press(.character("C"))
        #expect(reader.lines()[1] == "columns")
        #expect(reader.lines()[2] == "  [x] name  (always shown)")
        #expect(reader.lines()[3] == "▸ [x] id")
        reader.press(.down, .down, .character(" "))
        #expect(reader.lines()[5] == "▸ [ ] mode")
        reader.press(.escape)
        #expect(reader.view.focus == .table)
        #expect(!reader.lines()[1].contains("mode") && reader.lines()[1].contains("presence"))
        #expect(!reader.lines()[2].contains("cool"))
        reader.press(.character("C"), .character(" "), .enter)
        #expect(reader.lines()[1].contains("mode"))
    }

    @Test("the dialog's selection stays within its columns")
    func bounds() throws {
        let reader = try ScreenReader(.whole())
        reader.press(.character("C"), .up, .pageUp, .character(" "), .end, .down, .character(" "))
        #expect(reader.view.table.columns.hidden == [.id, .trend])
        reader.press(.home, .character(" "))
        #expect(reader.view.table.columns.hidden == [.trend])
    }

    @Test("no columns are hidden at first, and each hidden one is missing at every width", arguments: 1...200)
    func widths(width: Int) {
        let all = TableColumn.fitting(width)
        for choice in ColumnChoice.allCases {
            let shown = TableColumn.fitting(width, hiding: [choice])
            #expect(shown.first == .name)
            #expect(!shown.map(\.title).contains(choice.rawValue))
            #expect(shown.count >= all.count - 1)
            #expect(TableColumn.widths(of: shown, in: width).allSatisfy { $0 > 0 })
        }
        #expect(TableColumn.fitting(width, hiding: Set(ColumnChoice.allCases)) == [.name])
    }

    @Test("hidden columns make room for columns that the screen had omitted")
    func room() {
        #expect(!TableColumn.fitting(80).contains(.id))
        #expect(TableColumn.fitting(80, hiding: [.version, .mode, .trend]).contains(.id))
    }
}
