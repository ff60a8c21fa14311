import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("The order of the table")
struct TableOrderTests {
    /// The order after sorting completely.
    private static func sorted(_ replica: Replica, _ rule: TableOrder.Rule) -> [Int] {
        var order = TableOrder()
        _ = order.refresh(replica, rule: rule, at: .zero)
        return order.places
    }

    @Test(
        "an incrementally sorted table equals a completely sorted one through a random history",
        arguments: TableSort.allCases, [false, true])
    func mended(sort: TableSort, isReversed: Bool) throws {
        var random = SeededGenerator(seed: UInt64(sort.rawValue) + 1)
        var driver = try ReplicaDriver.whole((0..<60).map { Fixture.row($0) })
        var sequence: UInt64 = 10
        var nextDevice = 60
        for isFaultsOnly in [false, true] {
            let rule = TableOrder.Rule(sort: sort, isReversed: isReversed, isFaultsOnly: isFaultsOnly)
            var order = TableOrder()
            for turn in 0..<150 {
                for _ in 0..<Int.random(in: 0..<8, using: &random) {
                    sequence += 1
                    let number = Int.random(in: 0..<nextDevice, using: &random)
                    let device = Fixture.device(number)
                    let body: StreamUpdate.Body =
                        switch Int.random(in: 0..<8, using: &random) {
                        case 0:
                            .connection(device, isConnected: Bool.random(using: &random))
                        case 1: .removed(device)
                        case 2:
                            .measured([
                                try Fixture.measured(
                                    number, deciCelsius: .random(in: 0..<300, using: &random))
                            ])
                        case 3: .added(Fixture.row(nextDevice))
                        default:
                            .reported(
                                device,
                                Fixture.state(on: Bool.random(using: &random), version: sequence))
                        }
                    if case .added = body { nextDevice += 1 }
                    let at = driver.now.advanced(by: .milliseconds(Int(sequence))).wall
                    driver.receive(
                        StreamUpdate(epoch: Epoch(7), sequence: StreamSequence(sequence), at: at, body: body))
                }
                _ = order.refresh(
                    driver.replica, rule: rule, at: MonotonicTime.zero.advanced(by: .seconds(turn + 1)))
                #expect(order.places == Self.sorted(driver.replica, rule), "turn \(turn)")
            }
        }
    }

    @Test("the order is stable for a moment, longer for many devices")
    func stands() throws {
        var driver = try ReplicaDriver.whole()
        var order = TableOrder()
        let rule = TableOrder.Rule(sort: .version)
        var isOther = order.refresh(driver.replica, rule: rule, at: .zero)
        #expect(isOther)
        driver.receive(.reported(Fixture.device(2), Fixture.state(version: 5)))
        isOther = order.refresh(driver.replica, rule: rule, at: MonotonicTime(nanoseconds: 249_999_999))
        #expect(!isOther)
        #expect(order.places == [0, 1])
        isOther = order.refresh(driver.replica, rule: rule, at: MonotonicTime(nanoseconds: 250_000_000))
        #expect(isOther)
        #expect(order.places == [1, 0])
        #expect(TableOrder.pause(of: 1_000_000) == .seconds(2))
    }

    @Test("the first rows are shown at once")
    func first() throws {
        var driver = ReplicaDriver.joining()
        var order = TableOrder()
        _ = order.refresh(driver.replica, rule: TableOrder.Rule(), at: .zero)
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(1), Fixture.row(2)]))
        _ = order.refresh(driver.replica, rule: TableOrder.Rule(), at: .zero)
        #expect(order.places == [0, 1])
    }

    @Test("extending a filter has the same result as filtering from the start")
    func narrowed() throws {
        let driver = try ReplicaDriver.whole((0..<40).map { Fixture.row($0) })
        var order = TableOrder()
        for text in ["", "b", "bedroom 1", "bedroom 12", "bedroom 1", "room 3"] {
            let rule = TableOrder.Rule(filter: DeviceFilter(text), sort: .name)
            _ = order.refresh(driver.replica, rule: rule, at: .zero)
            #expect(order.places == Self.sorted(driver.replica, rule), "\(text)")
        }
    }
}

@Suite("Natural order of names")
struct NaturalOrderTests {
    @Test(
        "names are ordered by their numbers' values, ignoring case",
        arguments: [
            ("Bedroom 2", "Bedroom 10"), ("bedroom 2", "Bedroom 3"), ("Attic", "bath"), ("Room", "Room 1"),
            ("a9b", "a10a"),
        ])
    func natural(first: String, second: String) {
        #expect(NaturalOrder.precedes(first, second))
        #expect(!NaturalOrder.precedes(second, first))
        #expect(!NaturalOrder.precedes(first, first))
    }
}

@Suite("Exporting the table")
struct TableExportTests {
    private static func scene() throws -> ScreenReader {
        let reader = try ScreenReader(
            .whole([
                Fixture.row(1, name: "Living \"room\", big"),
                Fixture.row(2, name: "Office", isConnected: false),
            ]), width: 80, height: 10)
        reader.driver.receive(.measured([try Fixture.measured(1, deciCelsius: 215)]))
        return reader
    }

    /// The effect of a file name.
    private static func type(_ name: String, _ reader: ScreenReader) -> ViewEffect? {
        reader.perform(.export)
        while !reader.view.dialogs.export.fileName.isEmpty { reader.perform(.erase) }
        for character in name { reader.perform(.type(character)) }
        return reader.perform(.accept)
    }

    private static func export(_ effect: ViewEffect?) throws -> TableExport {
        guard case .export(let export) = effect else { throw CommandKeyTests.Unexpected(effect: effect) }
        return export
    }

    @Test("a CSV export has a heading and a record per device, quoted where necessary")
    func csv() throws {
        let reader = try Self.scene()
        let export = try Self.export(Self.type("fleet.csv", reader))
        #expect((export.path, export.devices, export.replaces) == ("fleet.csv", 2, false))
        let lines = String(decoding: export.content, as: UTF8.self).split(separator: "\r\n").map(String.init)
        let time = "2026-01-31T12:00:01.234Z"
        let incarnation = Fixture.incarnation
        let ids = (1...2).map { Fixture.device($0).description }
        let expected: [String] = [
            "id,name,node,on,mode,targetTemperature,temperatureUnit,fanLevel,presence,reason,"
                + "presenceSince,version,incarnation,asOf,celsius,humidityPercent,measuredAt",
            "\(ids[0]),\"Living \"\"room\"\", big\",node-1,false,cool,22,C,auto,online,,"
                + "\(time),1,\(incarnation),\(time),21.5,45.0,\(time)",
            "\(ids[1]),Office,node-1,false,cool,22,C,auto,offline,disconnected,"
                + "\(time),1,\(incarnation),\(time),,,",
        ]
        #expect(lines == expected)
    }

    @Test("an NDJSON export has an object per device, with the table's filter and order")
    func ndjson() throws {
        let reader = try Self.scene()
        reader.perform(.toggleFaultsOnly)
        let export = try Self.export(Self.type("fleet.NDJSON", reader))
        let text = String(decoding: export.content, as: UTF8.self)
        #expect(export.devices == 1)
        #expect(text.hasPrefix("{\"id\":\"\(Fixture.device(2))\",\"name\":\"Office\",\"on\":false,"))
        #expect(text.contains("\"measurements\":null"))
        #expect(text.hasSuffix("}\n"))
    }

    @Test(
        "a file name without a format is asked for again, and esc cancels the export",
        arguments: ["", "fleet", "csv"])
    func formatless(name: String) throws {
        let reader = try Self.scene()
        #expect(Self.type(name, reader) == nil)
        #expect(reader.view.focus == .fileName)
        reader.perform(.dismiss)
        #expect(reader.view.focus == .table)
    }

    @Test("a file name with another ending is answered with the allowed endings, until the next key")
    func otherExtension() throws {
        let reader = try Self.scene()
        #expect(Self.type("fleet.txt", reader) == nil)
        #expect(
            reader.lines()[0].hasPrefix("not exported to “fleet.txt”: the name must end in .csv or .ndjson"))
        reader.perform(.erase)
        #expect(reader.lines()[0].hasPrefix("export 2 devices to: fleet.tx▏"))
    }

    @Test("an existing file is replaced only after y")
    func replacing() throws {
        let reader = try Self.scene()
        let export = try Self.export(Self.type("fleet.csv", reader))
        reader.handle(.fileExists(export))
        #expect(reader.view.prompt == "fleet.csv already exists: replace it? y n")
        reader.perform(.dismiss)
        #expect(reader.view.focus == .table)
        reader.handle(.fileExists(export))
        #expect(reader.perform(.accept) == .export(export.replacing))
        reader.handle(.exported(export.replacing))
        #expect(reader.view.hint?.text == "2 devices written to fleet.csv")
    }

    @Test("the end of a long file name is visible on a narrow screen")
    func narrow() throws {
        let reader = try Self.scene()
        reader.perform(.export)
        for _ in 0..<80 { reader.perform(.type("x")) }
        reader.perform(.type("y"))
        let title = reader.lines(40)[0]
        #expect(title.hasPrefix("…x") && title.hasSuffix("xxy▏"))
    }
}
