import ArgumentParser
import FleetProtocol
import ReplicaTestSupport
import Testing
import UserText

@testable import fleet

@Suite("Lists of devices")
struct DeviceListTests {
    private static func device(
        _ name: String, _ index: UInt64, site: String = "Home", deciCelsius: Int16? = nil,
        _ presence: Presence.Kind = .online
    ) throws -> ListedDevice {
        let time = WallTime(unixMilliseconds: 1_769_860_800_123)
        let measured = try deciCelsius.map { degrees in
            SnapshotChunk.Measured(
                try #require(
                    Measurements(
                        deciCelsius: degrees, feelsLikeDeciCelsius: degrees, humidityPermille: 455,
                        rssiDBm: -60)), at: time)
        }
        return ListedDevice(
            id: DeviceID(fleetSeed: 1, index: index), name: name, reported: .sample,
            presence: Presence(presence, since: time), asOf: time,
            group: DeviceGroup(model: .sky, site: site, firmware: "", remote: .discrete),
            node: NodeName("node-1"), measured: measured)
    }

    private static func lines() throws -> [DeviceLine] {
        [
            DeviceLine(device: try device("Bedroom 10", 0, deciCelsius: 215)),
            DeviceLine(device: try device("Attic, \"north\"", 1, site: "Mill", .offline(.disconnected))),
            DeviceLine(device: try device("Bedroom 2", 2, site: "Mill", deciCelsius: 260)),
        ]
    }

    @Test(
        "a list is sorted by columns, numbers by their value, and devices without a value are last",
        arguments: [
            ("name", [1, 2, 0]), ("-name", [0, 2, 1]), ("room", [0, 2, 1]), ("-room", [2, 0, 1]),
            ("site,-name", [0, 2, 1]), ("mode", [0, 1, 2]), ("-site,room", [2, 1, 0]),
            ("Version", [0, 1, 2]),
        ])
    func sorted(columns: String, expected: [Int]) throws {
        let lines = try Self.lines()
        let order = try #require(DeviceOrder(columns))
        #expect(order.sorted(lines) == expected.map { lines[$0] })
    }

    @Test("a list is not sorted by an unknown column", arguments: ["", "temperature", "name,", "--name"])
    func unknownColumn(text: String) { #expect(DeviceOrder(text) == nil) }

    @Test("a wide table has every column")
    func wide() throws {
        var writer = DeviceWriter(.wide, CSVText())
        let label = try #require(Label("night"))
        let lines = writer.lines(of: [DeviceLine(device: try Self.lines()[0].device, labels: [label])])
        let id = DeviceID(fleetSeed: 1, index: 0).description
        #expect(
            lines == [
                "ID        NAME        STATE  MODE  TARGET  FAN      ROOM  HUMIDITY  PRESENCE  NODE    SITE  "
                    + "MODEL  LABELS  VERSION  AS OF",
                "\(id)  Bedroom 10  on     cool   22 °C  auto  21.5 °C    45.5 %  online    node-1  Home  "
                    + "skyv2  night         4  2026-01-31T12:00:00.123Z",
            ])
    }

    @Test("comma-separated values have a heading, quotation marks where necessary, and end in CR LF")
    func csv() throws {
        var writer = DeviceWriter(.csv, CSVText())
        let lines = writer.lines(of: [try Self.lines()[1]])
        #expect(lines[0].hasPrefix("id,name,node,on,mode,"))
        #expect(lines[0].hasSuffix(",measuredAt,model,site,labels\r"))
        #expect(
            lines[1].contains(",\"Attic, \"\"north\"\"\",node-1,true,cool,22,C,auto,offline,disconnected,"))
        #expect(lines[1].hasSuffix(",,,skyv2,Mill,\r"))
    }

    @Test("the names of devices are a line each")
    func names() throws {
        var writer = DeviceWriter(.name, CSVText())
        #expect(writer.lines(of: try Self.lines()) == ["Bedroom 10", "Attic, \"north\"", "Bedroom 2"])
    }

    // MARK: Watching

    /// What a watched list prints for a replica of two devices that are off, and for the updates after.
    private static func watch(_ query: DeviceQuery, _ updates: [StreamUpdate.Body]) throws -> [FleetReading] {
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(Fixture.chunk(7, 10, rows: [Fixture.row(2), Fixture.row(1)]))
        var reader = DeviceChanges(query, as: .json, CSVText(), labels: [:])
        var readings: [FleetReading] = []
        for event in driver.events { reader.read(event, of: driver.replica, into: &readings) }
        for (offset, update) in updates.enumerated() {
            driver.clear()
            driver.receive(Fixture.update(7, UInt64(11 + offset), update))
            for event in driver.events { reader.read(event, of: driver.replica, into: &readings) }
        }
        return readings
    }

    /// The names and the changes of lines.
    private static func changes(_ readings: [FleetReading]) -> [String] {
        readings.map { reading in
            guard case .line(let line) = reading else { return "\(reading)" }
            let parts = line.split(separator: "\"")
            let name = parts.firstIndex(of: "name").map { parts[$0 + 2] } ?? "?"
            let power = line.contains("\"on\":true") ? "on" : "off"
            return "\(name) \(power) \(parts[parts.endIndex - 2])"
        }
    }

    @Test("a watched list has every device first, in its order, and then a line for each change")
    func changes() throws {
        let readings = try Self.watch(
            DeviceQuery(order: DeviceOrder("name")),
            [
                .reported(Fixture.device(2), Fixture.state(on: true, version: 2)), .added(Fixture.row(3)),
                .measured([try Fixture.measured(1, deciCelsius: 300)]), .removed(Fixture.device(2)),
            ])
        #expect(
            Self.changes(readings) == [
                "Bedroom 1 off listed", "Bedroom 2 off listed", "Bedroom 2 on changed",
                "Bedroom 3 off added", "Bedroom 2 on removed",
            ])
    }

    @Test("in a watched list, a device is added and removed as the condition holds or not")
    func filtered() throws {
        let readings = try Self.watch(
            DeviceQuery(filter: try Condition.parse("on or temperature > 25")),
            [
                .reported(Fixture.device(2), Fixture.state(on: true, version: 2)),
                .measured([try Fixture.measured(1, deciCelsius: 300)]),
                .measured([try Fixture.measured(1, deciCelsius: 301)]),
                .reported(Fixture.device(2), Fixture.state(version: 3)),
                .node(try Fixture.node(1, "node-1", .offline(.nodeLost)), devices: 2),
            ])
        #expect(
            Self.changes(readings) == [
                "Bedroom 2 on added", "Bedroom 1 off added", "Bedroom 2 off removed", "Bedroom 1 off changed",
            ])
    }

    @Test("in a watched list, selectors select the same devices as in a list")
    func selected() throws {
        let readings = try Self.watch(
            DeviceQuery(selectors: ["bedroom 1"]), [.added(Fixture.row(11, name: "Bedroom 11"))])
        #expect(Self.changes(readings) == ["Bedroom 1 off listed"])
        let parts = try Self.watch(
            DeviceQuery(selectors: ["bed*", "off and not presence stale"]), [.added(Fixture.row(3))])
        #expect(parts.count == 3)
    }

    @Test("a malformed condition ends a watched list as a usage error")
    func malformed() throws {
        let readings = try Self.watch(DeviceQuery(selectors: ["hall and"]), [])
        guard case .end(let failure?) = readings.first, readings.count == 1 else {
            Issue.record("\(readings)")
            return
        }
        #expect(failure.status == .usage)
    }

    @Test("in a watched table, a line has the columns of the table")
    func watchedTable() throws {
        var writer = DeviceWriter(.table, CSVText(), isWatched: true)
        let device = try Self.lines()[0].device
        let lines = writer.lines(of: [DeviceLine(device: device, change: .listed)])
        #expect(lines[0].hasSuffix("  AS OF                     CHANGE"))
        #expect(writer.line(of: DeviceLine(device: device, change: .changed)) == lines[1] + "  changed")
    }

    // MARK: Waiting

    @Test("a wait ends when its condition holds, and names the device")
    func wait() throws {
        let condition = AwaitedCondition(
            condition: try Condition.argument("device \"Bedroom 2\" on"), text: "device \"Bedroom 2\" on")
        var driver = try ReplicaDriver.whole()
        var reader = ConditionReader(condition, isJSON: true)
        var readings: [FleetReading] = []
        reader.tick(driver.replica, into: &readings)
        #expect(readings.isEmpty)
        driver.receive(
            Fixture.update(7, 11, .reported(Fixture.device(2), Fixture.state(on: true, version: 2))))
        for event in driver.events { reader.read(event, of: driver.replica, into: &readings) }
        let line =
            #"{"condition":"device \"Bedroom 2\" on","device":"\#(Fixture.device(2))","name":"Bedroom 2"}"#
        #expect(readings == [.line(line), .end(nil)])
    }
}
