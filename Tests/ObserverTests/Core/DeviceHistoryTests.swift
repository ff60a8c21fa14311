import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("History of devices")
struct DeviceHistoryTests {
    private static func row(_ number: Int, _ driver: ReplicaDriver) throws -> ReplicaRow {
        try #require(driver.replica.row(of: Fixture.device(number)))
    }

    private static func event(_ number: Int, deciCelsius: Int16) throws -> ObserverEvent {
        ObserverEvent(
            at: Fixture.start.wall, .measured([try Fixture.measured(number, deciCelsius: deciCelsius)]))
    }

    @Test("a device's history keeps the newest 32 temperatures and 8 events")
    func newest() throws {
        var histories = DeviceHistories()
        for value in Int16(0)..<100 {
            histories.handle(try Self.event(1, deciCelsius: value))
            let device = FleetEvent.Device(id: Fixture.device(1), name: nil, node: nil)
            let reported = FleetEvent.Reported(
                device: device, state: Fixture.state(version: UInt64(value)), isRepair: false)
            histories.handle(ObserverEvent(at: Fixture.start.wall, .reported(reported)))
        }
        let history = try #require(histories[Fixture.device(1)])
        #expect(history.deciCelsius.values == Array(68..<100))
        #expect(history.events.count == 8)
        #expect(
            history.events.values.last?.described(eastOfUTC: .zero).text
                == "off, cool 22 °C, by request (version 99)")
    }

    @Test("times in a device's history are local times")
    func localTimes() throws {
        var settings = DeviceSettings()
        settings.timer = DeviceTimer(change: ACStateChange(isOn: false), due: Fixture.start.wall)
        var users = Users()
        let device = FleetEvent.Device(id: Fixture.device(1), name: nil, node: nil)
        let event = ObserverEvent(at: Fixture.start.wall, .settings(device, settings))
        let text = try #require(HistoryEvent(event, users: &users)).described(
            eastOfUTC: .seconds(13 * 3_600)
        ).text
        #expect(text == "timer: off at 2026-02-01 01:00:01")
    }

    @Test("a history takes 0.6 kB, and users' emails are stored once and bounded")
    func size() throws {
        #expect((500...600).contains(MemoryLayout<DeviceHistory>.stride))
        var users = Users()
        for (people, shared) in [(3, 3), (5_000, Users.limit)] {
            for number in 0..<10_000 {
                let user = try #require(Email("\(number % people)@sensibus.local"))
                #expect(users.shared(user) == user)
                #expect(users.known.count <= shared)
            }
        }
    }

    @Test(
        "an outcome in the history has the command's kind, its result and the reason",
        arguments: [
            (.applied(Fixture.state(on: true, version: 4)), .toggle, "toggled on at version 4"),
            (.applied(Fixture.state(version: 4)), .set, "set to off, cool 22 °C at version 4"),
            (.applied(Fixture.state(version: 4)), .correct, "corrected to off, cool 22 °C at version 4"),
            (.applied(Fixture.state(version: 4)), .configure, "settings changed"),
            (.applied(Fixture.state(version: 4)), nil, "applied: off at version 4"),
            (.unchanged(Fixture.state(version: 4)), .set, "change: already off at version 4"),
            (.conflict(Fixture.state(version: 4)), .toggle, "toggle: conflict, off at version 4"),
            (.rejected("too\u{7} hot"), .set, "change rejected: too� hot"),
            (
                .undetermined(.deviceReset), .toggle,
                "toggle undetermined: the device was reset before it reported the result"
            ),
            (.cancelled, .toggle, "toggle cancelled"), (.expired, nil, "request expired"),
        ] as [(Outcome, CommandKind?, String)])
    func ends(outcome: Outcome, kind: CommandKind?, text: String) throws {
        var users = Users()
        let report = try Fixture.report(outcome, of: kind)
        let event = ObserverEvent(
            at: Fixture.start.wall, .outcome(.init(report: report, device: nil, before: nil)))
        let described = try #require(HistoryEvent(event, users: &users)).described(eastOfUTC: .zero)
        #expect(described.text == "\(text), requested by demo@sensibus.local")
        #expect(described.tone == EventLine.Tone(of: outcome))
    }

    @Test("a device's history includes its node's presence in order, for a bounded number of nodes")
    func nodes() throws {
        var histories = DeviceHistories()
        let device = FleetEvent.Device(id: Fixture.device(1), name: nil, node: nil)
        let home = try #require(NodeName("node-1"))
        func presence(_ kind: Presence.Kind, after seconds: Int64) -> Presence {
            Presence(kind, since: WallTime(unixMilliseconds: 1_000 * seconds))
        }
        func handle(_ node: NodeName, _ presence: Presence) {
            let change = FleetEvent.NodeChange(node: node, presence: presence, devices: 1)
            histories.handle(ObserverEvent(at: presence.since, .node(change)))
        }
        func text(on node: NodeName?) -> [String] {
            histories.events(of: device.id, on: node).map { $0.described(eastOfUTC: .zero).text }
        }
        handle(home, presence(.offline(.nodeLost), after: 1))
        #expect(text(on: home) == ["offline (node lost)"], "of a device that nothing was heard of")
        let offline = presence(.offline(.disconnected), after: 2)
        histories.handle(ObserverEvent(at: offline.since, .presence(device, offline)))
        handle(home, presence(.online, after: 3))
        #expect(text(on: home) == ["offline (node lost)", "offline (no link)", "node online"])
        #expect(text(on: NodeName("node-2")) == ["offline (no link)"])
        #expect(text(on: nil) == ["offline (no link)"])
        for number in 0..<3 * NodeHistories.limit {
            handle(try #require(NodeName("n-\(number)")), presence(.online, after: 4))
        }
        #expect(text(on: home) == ["offline (no link)"])
        #expect(text(on: NodeName("n-\(3 * NodeHistories.limit - 1)")).last == "node online")
    }

    @Test("the number of histories is bounded, and the devices on the screen have one")
    func bounded() throws {
        let driver = try ReplicaDriver.whole((0..<100).map { Fixture.row($0) })
        var histories = DeviceHistories(limit: 10)
        for number in 0..<100 { histories.handle(try Self.event(number, deciCelsius: 200)) }
        #expect(histories.count == 10)
        var before: Range<Int> = 0..<0
        // Down the table, back, and in leaps.
        for start in Array(0..<20) + (0..<20).reversed() + [40, 36, 90, 3] {
            let shown = start..<start + 9
            histories.show(try shown.map { try Self.row($0, driver) }, of: 100)
            for number in shown {
                histories.handle(try Self.event(number, deciCelsius: 210))
                let values = try #require(histories[Fixture.device(number)]).deciCelsius.values
                #expect(values.last == 210)
                #expect(values.count >= (before.contains(number) ? 2 : 1), "\(number) at \(start)")
            }
            #expect(histories.count == 10)
            before = shown
        }
    }

    @Test("a screen with more devices than histories is handled")
    func tooFew() throws {
        let driver = try ReplicaDriver.whole((0..<20).map { Fixture.row($0) })
        var histories = DeviceHistories(limit: 10)
        histories.show(try (0..<20).map { try Self.row($0, driver) }, of: 20)
        #expect(histories.count == 10)
    }

    @Test("a removed device frees its history, and returns without one")
    func left() throws {
        let driver = try ReplicaDriver.whole((0..<3).map { Fixture.row($0) })
        var histories = DeviceHistories(limit: 2)
        histories.handle(try Self.event(0, deciCelsius: 200))
        histories.handle(try Self.event(1, deciCelsius: 201))
        let device = FleetEvent.Device(id: Fixture.device(0), name: nil, node: nil)
        histories.handle(ObserverEvent(at: Fixture.start.wall, .removed(device)))
        histories.handle(try Self.event(2, deciCelsius: 202))
        #expect(histories[Fixture.device(0)] == nil)
        #expect(histories[Fixture.device(2)]?.deciCelsius.values == [202])
        histories.show([try Self.row(0, driver)], of: 3)
        #expect(histories[Fixture.device(0)]?.deciCelsius.isEmpty == true)
        #expect(histories.count == 2)
    }

    @Test(
        "a sparkline extends from the coldest to the warmest value, and noise is flat",
        arguments: [
            ([], 8, ""), ([200], 8, "▄"), ([200, 201, 200], 8, "▄▄▄"), ([200, 210, 220], 8, "▁▄█"),
            ([0, 100, 200, 300, 400, 500, 600, 700], 8, "▁▂▃▄▅▆▇█"), ([1, 2, 100, 200, 300], 3, "▁▄█"),
            ([-100, 0], 0, ""),
        ] as [([Int16], Int, String)])
    func sparkline(values: [Int16], width: Int, expected: String) {
        #expect(Sparkline.text(of: values, width: width) == expected)
    }
}
