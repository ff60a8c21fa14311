import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("The view model")
struct ViewModelTests {
    private static let names = ["Room 10", "Room 2", "Office", "Attic"]

    /// Four devices: the second on, the third disconnected, the fourth changed last.
    private static func scene(where condition: String = "") throws -> ScreenReader {
        var driver = try ReplicaDriver.whole(
            names.enumerated().map { Fixture.row($0.offset, name: $0.element) })
        driver.now = driver.now.advanced(by: .milliseconds(300))
        driver.receive(.reported(Fixture.device(1), Fixture.state(on: true, version: 5)))
        driver.receive(.connection(Fixture.device(2), isConnected: false))
        let changed = StreamUpdate(
            epoch: Epoch(7), sequence: StreamSequence(13), at: driver.now.wall,
            body: .reported(Fixture.device(3), Fixture.state(version: 3)))
        driver.receive(changed)
        driver.receive(.measured([try Fixture.measured(3, deciCelsius: 215)]))
        return try ScreenReader(driver, view: Fixture.view(where: condition))
    }

    private static func names(_ reader: ScreenReader, after wait: Duration = .zero) -> [String] {
        reader.content(after: wait).rows.map(\.device.label)
    }

    private static func selected(_ content: ScreenContent) -> DeviceID? {
        content.rows.first { $0.isSelected }?.device.id
    }

    @Test(
        "the table is sorted by each of its orders",
        arguments: [
            (TableSort.slot, ["Room 10", "Room 2", "Office", "Attic"]),
            (.name, ["Attic", "Office", "Room 2", "Room 10"]),
            (.state, ["Room 2", "Room 10", "Office", "Attic"]),
            (.presence, ["Office", "Room 10", "Room 2", "Attic"]),
            (.change, ["Attic", "Room 10", "Room 2", "Office"]),
            (.version, ["Room 2", "Attic", "Room 10", "Office"]),
            (.room, ["Attic", "Room 10", "Room 2", "Office"]),
        ])
    func sorts(sort: TableSort, expected: [String]) throws {
        let reader = try Self.scene()
        for _ in 0..<sort.rawValue { reader.perform(.nextSort) }
        #expect(reader.view.sort == sort)
        #expect(Self.names(reader) == expected)
    }

    @Test("the orders cycle")
    func circle() {
        #expect(TableSort.allCases.map(\.next) == Array(TableSort.allCases.dropFirst()) + [.slot])
    }

    @Test("a filter applies while it is typed, characters can be erased, and escape clears it")
    func filters() throws {
        let reader = try Self.scene()
        reader.perform(.type("x"))
        #expect(reader.view.filter.isEmpty, "letters are ignored unless a filter is being typed")
        reader.perform(.beginFilter)
        for character in "ROOMx" { reader.perform(.type(character)) }
        #expect(Self.names(reader).isEmpty)
        reader.perform(.erase)
        #expect(Self.names(reader) == ["Room 10", "Room 2"])
        reader.perform(.accept)
        #expect(reader.view.focus == .table)
        reader.perform(.dismiss)
        #expect(Self.names(reader).count == 4)
    }

    @Test("a filter has a bounded length")
    func longFilter() throws {
        let reader = try Self.scene()
        reader.perform(.beginFilter)
        for _ in 0..<300 { reader.perform(.type("a")) }
        #expect(reader.view.filter.text.count == ViewModel.filterLength)
    }

    @Test("the starting condition is shown until filters are cleared, and a plain text is a filter")
    func condition() throws {
        let on = try Self.scene(where: "power on")
        #expect(on.content().rule.condition == "power on")
        #expect(Self.names(on) == ["Room 2"])
        on.perform(.dismiss)
        #expect(on.content().rule.condition == nil)
        #expect(Self.names(on).count == 4)
        let typed = try Self.scene(where: "room")
        #expect(typed.content().rule.condition == nil)
        #expect(typed.content().rule.filter.text == "room")
    }

    @Test(
        "messages are limited to devices that satisfy the starting condition",
        arguments: ["device \"Room 2\"", "room 2"])
    func shown(condition: String) throws {
        /// Whether a message about the first device, about the second and about none is shown.
        func shown(_ reader: ScreenReader) -> [Bool] {
            let devices = (0..<2).map { number in
                FleetEvent.Body.presence(
                    reader.driver.replica.named(Fixture.device(number)),
                    Presence(.offline(.disconnected), since: reader.driver.now.wall))
            }
            return (devices + [.connection(.established)]).map {
                let event = ObserverEvent(at: reader.driver.now.wall, $0)
                return reader.view.shows(event, of: reader.driver.replica)
            }
        }
        let (reader, erased) = (try Self.scene(where: condition), try Self.scene(where: condition))
        #expect(shown(reader) == [false, true, true])
        for one in [reader, erased] { one.perform(.beginFilter, .type("x"), .accept) }
        #expect(shown(reader) == [false, true, true], "a typed filter is for the table")
        reader.perform(.dismiss)
        #expect(shown(reader) == [true, true, true])
        erased.perform(.beginFilter)
        for _ in 0..<10 { erased.perform(.erase) }
        #expect(shown(erased) == (condition == "room 2" ? [true, true, true] : [false, true, true]))
    }

    @Test("a device is found by its ID too")
    func filterByID() throws {
        let reader = try Self.scene(where: Fixture.device(2).description.lowercased())
        #expect(Self.names(reader) == ["Office"])
    }

    @Test("the faults filter shows devices with faults, and new ones when they occur")
    func faultsOnly() throws {
        let reader = try Self.scene()
        reader.perform(.toggleFaultsOnly)
        #expect(Self.names(reader) == ["Office"])
        reader.driver.receive(.connection(Fixture.device(0), isConnected: false))
        #expect(Self.names(reader, after: .seconds(1)) == ["Room 10", "Office"])
    }

    @Test("a paused view is constant, shows the number of missed updates, and continues")
    func pauses() throws {
        let reader = try Self.scene()
        reader.perform(.togglePause)
        reader.add("news")
        reader.driver.receive(.reported(Fixture.device(0), Fixture.state(on: true, version: 2)))
        reader.driver.receive(.reported(Fixture.device(0), Fixture.state(version: 3)))
        reader.driver.receive(.beat)
        let paused = reader.content(after: .seconds(100))
        #expect(paused.rows.first?.state.version == Version(1))
        #expect(paused.rows.first?.age == .milliseconds(300), "ages are paused too")
        #expect(paused.log?.lines.isEmpty == true)
        #expect(paused.status.pausedBy == 2)
        reader.perform(.togglePause)
        let moving = reader.content()
        #expect(moving.rows.first?.state.version == Version(3))
        #expect(moving.log?.lines.map(\.text) == ["  12:00:01 news"])
        #expect(moving.status.pausedBy == nil)
    }

    @Test("scrolling by rows and pages stays within bounds, with the selection on the screen")
    func scrolls() throws {
        let reader = try ScreenReader(.whole((0..<50).map { Fixture.row($0) }))
        _ = reader.content(rows: 10)
        let steps: [(ViewIntent, selected: Int, top: Int)] = [
            (.move(-1), 0, 0), (.move(1), 1, 0), (.page(1), 11, 2), (.last, 49, 40), (.move(1), 49, 40),
            (.page(-1), 39, 39), (.first, 0, 0), (.page(-1), 0, 0),
        ]
        for step in steps {
            reader.perform(step.0)
            let content = reader.content(rows: 10)
            #expect(content.firstRow == step.top, "\(step.0)")
            #expect(content.rows.firstIndex(where: \.isSelected) == step.selected - step.top, "\(step.0)")
            #expect(Self.selected(content) == Fixture.device(step.selected), "\(step.0)")
        }
    }

    @Test("the selection stays on its device when the order changes")
    func followsDevice() throws {
        let reader = try Self.scene()
        _ = reader.content()
        reader.perform(.move(3))
        #expect(Self.selected(reader.content()) == Fixture.device(3))
        reader.perform(.nextSort)
        let sorted = reader.content()
        #expect(sorted.rows.first?.isSelected == true)
        #expect(Self.selected(sorted) == Fixture.device(3))
    }

    @Test("the status has connection, rate, number of online devices, and time since stale")
    func status() throws {
        let reader = try Self.scene()
        var status = reader.content().status
        #expect((status.devices, status.online) == (4, 3))
        #expect((status.staleness, status.staleFor) == (nil, nil))
        for sequence in UInt64(15)..<25 {
            reader.driver.receive(.reported(Fixture.device(0), Fixture.state(version: sequence)))
        }
        #expect(status.behind == 0)
        reader.view.record(unread: 37)
        #expect(reader.content().status.behind == 37, "the replica is whole, and more has arrived")
        reader.driver.step(.connection(.failed("refused")))
        status = reader.content(after: .seconds(2)).status
        #expect(status.updatesPerSecond == 5)
        #expect(status.connection == .failed("refused"))
        #expect((status.staleness, status.staleFor) == (.disconnected, .seconds(2)))
    }

    @Test("a view that is rewound shows no later messages, and continues from there")
    func rewinds() throws {
        let reader = try Self.scene()
        reader.add("later")
        reader.perform(.cancelToggle)
        reader.perform(.togglePause)
        reader.add("later still")
        reader.perform(.cancelToggle)
        #expect(reader.content().hint != nil)
        reader.view.rewind()
        reader.driver = try ReplicaDriver.whole([Fixture.row(0, name: "Room 10")])
        let content = reader.content()
        #expect(content.log?.lines.isEmpty == true)
        #expect(content.hint == nil)
        #expect(content.status.pausedBy == nil)
        #expect(Self.names(reader) == ["Room 10"])
        reader.add("then")
        #expect(reader.content().log?.lines.map(\.text) == ["  12:00:01 then"])
    }

    @Test("a ring keeps the last values up to its limit, and returns the newest")
    func log() {
        var log = Ring<EventLine>(limit: 500)
        for number in 0..<1_234 {
            log.append(EventLine(at: Fixture.start.wall, tone: .neutral, text: "\(number)"))
        }
        #expect(log.count == 500)
        #expect(log.newest(3).map(\.text) == ["1231", "1232", "1233"])
        #expect(log.newest(9_999).first?.text == "734")
        #expect(log.newest(0).isEmpty)
    }
}
