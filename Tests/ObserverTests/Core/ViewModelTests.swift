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
    private static func fleet() throws -> ReplicaDriver {
        var driver = try ReplicaDriver.whole(
            names.enumerated().map { Fixture.row($0.offset, name: $0.element) })
        driver.now = driver.now.advanced(by: .milliseconds(300))
        driver.receive(
            Fixture.update(7, 11, .reported(Fixture.device(1), Fixture.state(on: true, version: 5))))
        driver.receive(Fixture.update(7, 12, .connection(Fixture.device(2), isConnected: false)))
        let changed = StreamUpdate(
            epoch: Epoch(7), sequence: StreamSequence(13), at: driver.now.wall,
            body: .reported(Fixture.device(3), Fixture.state(version: 3)))
        driver.receive(changed)
        driver.receive(Fixture.update(7, 14, .measured([try Fixture.measured(3, deciCelsius: 215)])))
        return driver
    }

    private static func content(
        _ view: inout ViewModel, _ driver: ReplicaDriver, rows: Int = 10, after wait: Duration = .zero
    ) -> ScreenContent {
        view.content(of: driver.replica, rows: rows, messages: 3, at: driver.now.advanced(by: wait))
    }

    private static func names(_ content: ScreenContent) -> [String] { content.rows.map(\.device.label) }

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
        let driver = try Self.fleet()
        var view = try Fixture.view()
        for _ in 0..<sort.rawValue { view.perform(.nextSort, on: driver.replica, at: driver.now) }
        #expect(view.sort == sort)
        #expect(Self.names(Self.content(&view, driver)) == expected)
    }

    @Test("the orders cycle")
    func circle() {
        #expect(TableSort.allCases.map(\.next) == Array(TableSort.allCases.dropFirst()) + [.slot])
    }

    @Test("a filter applies while it is typed, characters can be erased, and escape clears it")
    func filters() throws {
        let driver = try Self.fleet()
        var view = try Fixture.view()
        view.perform(.type("x"), on: driver.replica, at: driver.now)
        #expect(view.filter.isEmpty, "letters are ignored unless a filter is being typed")
        view.perform(.beginFilter, on: driver.replica, at: driver.now)
        for character in "ROOMx" { view.perform(.type(character), on: driver.replica, at: driver.now) }
        #expect(Self.names(Self.content(&view, driver)).isEmpty)
        view.perform(.erase, on: driver.replica, at: driver.now)
        #expect(Self.names(Self.content(&view, driver)) == ["Room 10", "Room 2"])
        view.perform(.accept, on: driver.replica, at: driver.now)
        #expect(view.focus == .table)
        view.perform(.dismiss, on: driver.replica, at: driver.now)
        #expect(Self.names(Self.content(&view, driver)).count == 4)
    }

    @Test("a filter has a bounded length")
    func longFilter() throws {
        let driver = try Self.fleet()
        var view = try Fixture.view()
        view.perform(.beginFilter, on: driver.replica, at: driver.now)
        for _ in 0..<300 { view.perform(.type("a"), on: driver.replica, at: driver.now) }
        #expect(view.filter.text.count == ViewModel.filterLength)
    }

    @Test("the starting condition is shown until filters are cleared, and a plain text is a filter")
    func condition() throws {
        let driver = try Self.fleet()
        func view(_ text: String) throws -> ViewModel {
            ViewModel(account: "demo", condition: try Condition.parse(text), random: SeededGenerator(seed: 1))
        }
        var on = try view("power on")
        #expect(Self.content(&on, driver).rule.condition == "power on")
        #expect(Self.names(Self.content(&on, driver)) == ["Room 2"])
        on.perform(.dismiss, on: driver.replica, at: driver.now)
        #expect(Self.content(&on, driver).rule.condition == nil)
        #expect(Self.names(Self.content(&on, driver)).count == 4)
        var typed = try view("room")
        #expect(Self.content(&typed, driver).rule.condition == nil)
        #expect(Self.content(&typed, driver).rule.filter.text == "room")
    }

    @Test(
        "messages are limited to devices that satisfy the starting condition",
        arguments: ["device \"Room 2\"", "room 2"])
    func shown(condition: String) throws {
        let driver = try Self.fleet()
        func connection(_ number: Int) -> ObserverEvent {
            ObserverEvent(
                at: driver.now.wall,
                .presence(
                    driver.replica.named(Fixture.device(number)),
                    Presence(.offline(.disconnected), since: driver.now.wall)))
        }
        func shown(_ view: ViewModel) -> [Bool] {
            [
                connection(0), connection(1),
                ObserverEvent(at: driver.now.wall, .connection(.established)),
            ].map { view.shows($0, of: driver.replica) }
        }
        var view = ViewModel(
            account: "demo", condition: try Condition.parse(condition), random: SeededGenerator(seed: 1))
        #expect(shown(view) == [false, true, true])
        Fixture.press(.beginFilter, &view, driver)
        Fixture.press(.type("x"), &view, driver)
        Fixture.press(.accept, &view, driver)
        #expect(shown(view) == [false, true, true], "a typed filter is for the table")
        var erased = view
        Fixture.press(.dismiss, &view, driver)
        #expect(shown(view) == [true, true, true])
        Fixture.press(.beginFilter, &erased, driver)
        for _ in 0..<10 { Fixture.press(.erase, &erased, driver) }
        #expect(shown(erased) == (condition == "room 2" ? [true, true, true] : [false, true, true]))
    }

    @Test("a device is found by its ID too")
    func filterByID() throws {
        let driver = try Self.fleet()
        var view = try Fixture.view(
            filter: DeviceFilter(Fixture.device(2).description.lowercased()))
        #expect(Self.names(Self.content(&view, driver)) == ["Office"])
    }

    @Test("the faults filter shows devices with faults, and new ones when they occur")
    func faultsOnly() throws {
        var driver = try Self.fleet()
        var view = try Fixture.view()
        view.perform(.toggleFaultsOnly, on: driver.replica, at: driver.now)
        #expect(Self.names(Self.content(&view, driver)) == ["Office"])
        driver.receive(Fixture.update(7, 15, .connection(Fixture.device(0), isConnected: false)))
        #expect(Self.names(Self.content(&view, driver, after: .seconds(1))) == ["Room 10", "Office"])
    }

    @Test("a paused view is constant, shows the number of missed updates, and continues")
    func pauses() throws {
        var driver = try Self.fleet()
        var view = try Fixture.view()
        view.perform(.togglePause, on: driver.replica, at: driver.now)
        view.add(EventLine(at: driver.now.wall, tone: .neutral, text: "news"))
        driver.receive(
            Fixture.update(7, 15, .reported(Fixture.device(0), Fixture.state(on: true, version: 2))))
        driver.receive(Fixture.update(7, 16, .reported(Fixture.device(0), Fixture.state(version: 3))))
        driver.receive(Fixture.update(7, 16, .beat))
        let paused = Self.content(&view, driver, after: .seconds(100))
        #expect(paused.rows.first?.state.version == Version(1))
        #expect(paused.rows.first?.age == .milliseconds(300), "ages are paused too")
        #expect(paused.log?.lines.isEmpty == true)
        #expect(paused.status.pausedBy == 2)
        view.perform(.togglePause, on: driver.replica, at: driver.now)
        let moving = Self.content(&view, driver)
        #expect(moving.rows.first?.state.version == Version(3))
        #expect(moving.log?.lines.map(\.text) == ["  12:00:01 news"])
        #expect(moving.status.pausedBy == nil)
    }

    @Test("scrolling by rows and pages stays within bounds, with the selection on the screen")
    func scrolls() throws {
        let rows = (0..<50).map { Fixture.row($0) }
        let driver = try ReplicaDriver.whole(rows)
        var view = try Fixture.view()
        _ = Self.content(&view, driver)
        let steps: [(ViewIntent, selected: Int, top: Int)] = [
            (.move(-1), 0, 0), (.move(1), 1, 0), (.page(1), 11, 2), (.last, 49, 40), (.move(1), 49, 40),
            (.page(-1), 39, 39), (.first, 0, 0), (.page(-1), 0, 0),
        ]
        for step in steps {
            view.perform(step.0, on: driver.replica, at: driver.now)
            let content = Self.content(&view, driver)
            #expect(content.firstRow == step.top, "\(step.0)")
            #expect(content.rows.firstIndex(where: \.isSelected) == step.selected - step.top, "\(step.0)")
            #expect(Self.selected(content) == Fixture.device(step.selected), "\(step.0)")
        }
    }

    @Test("the selection stays on its device when the order changes")
    func followsDevice() throws {
        let driver = try Self.fleet()
        var view = try Fixture.view()
        _ = Self.content(&view, driver)
        view.perform(.move(3), on: driver.replica, at: driver.now)
        #expect(Self.selected(Self.content(&view, driver)) == Fixture.device(3))
        view.perform(.nextSort, on: driver.replica, at: driver.now)
        let sorted = Self.content(&view, driver)
        #expect(sorted.rows.first?.isSelected == true)
        #expect(Self.selected(sorted) == Fixture.device(3))
    }

    @Test("the status has connection, rate, number of online devices, and time since stale")
    func status() throws {
        var driver = try Self.fleet()
        var view = try Fixture.view()
        var status = Self.content(&view, driver).status
        #expect((status.devices, status.online) == (4, 3))
        #expect((status.staleness, status.staleFor) == (nil, nil))
        for sequence in UInt64(15)..<25 {
            let state = Fixture.state(version: sequence)
            driver.receive(Fixture.update(7, sequence, .reported(Fixture.device(0), state)))
        }
        #expect(status.behind == 0)
        view.record(unread: 37)
        #expect(Self.content(&view, driver).status.behind == 37, "the replica is whole, and more has arrived")
        driver.step(.connection(.failed("refused")))
        status = Self.content(&view, driver, after: .seconds(2)).status
        #expect(status.updatesPerSecond == 5)
        #expect(status.connection == .failed("refused"))
        #expect((status.staleness, status.staleFor) == (.disconnected, .seconds(2)))
    }

    @Test("a view that is rewound shows no later messages, and continues from there")
    func rewinds() throws {
        var driver = try Self.fleet()
        var view = try Fixture.view()
        view.add(EventLine(at: driver.now.wall, tone: .neutral, text: "later"))
        Fixture.press(.cancelToggle, &view, driver)
        Fixture.press(.togglePause, &view, driver)
        view.add(EventLine(at: driver.now.wall, tone: .neutral, text: "later still"))
        Fixture.press(.cancelToggle, &view, driver)
        #expect(Self.content(&view, driver).hint != nil)
        view.rewind()
        driver = try ReplicaDriver.whole([Fixture.row(0, name: "Room 10")])
        let content = Self.content(&view, driver)
        #expect(content.log?.lines.isEmpty == true)
        #expect(content.hint == nil)
        #expect(content.status.pausedBy == nil)
        #expect(Self.names(content) == ["Room 10"])
        view.add(EventLine(at: driver.now.wall, tone: .neutral, text: "then"))
        #expect(Self.content(&view, driver).log?.lines.map(\.text) == ["  12:00:01 then"])
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
