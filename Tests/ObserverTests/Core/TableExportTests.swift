import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("Exporting the table")
struct TableExportTests {
    private static func scene() throws -> (ViewModel, ReplicaDriver) {
        var driver = try ReplicaDriver.whole([
            Fixture.row(1, name: "Living \"room\", big"), Fixture.row(2, name: "Office", isConnected: false),
        ])
        let measured = try Fixture.measured(1, deciCelsius: 215)
        driver.receive(Fixture.update(7, 11, .measured([measured])))
        return (try Fixture.view(), driver)
    }

    private static func type(_ name: String, _ view: inout ViewModel, _ driver: ReplicaDriver) -> ViewEffect?
    {
        Fixture.press(.export, &view, driver)
        while !view.exporting.fileName.isEmpty { Fixture.press(.erase, &view, driver) }
        for character in name { Fixture.press(.type(character), &view, driver) }
        return Fixture.press(.accept, &view, driver)
    }

    private static func export(_ effect: ViewEffect?) throws -> TableExport {
        guard case .export(let export) = effect else { throw CommandKeyTests.Unexpected(effect: effect) }
        return export
    }

    @Test("a CSV export has a heading and a record per device, quoted where necessary")
    func csv() throws {
        var (view, driver) = try Self.scene()
        let export = try Self.export(Self.type("fleet.csv", &view, driver))
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
        var (view, driver) = try Self.scene()
        Fixture.press(.toggleFaultsOnly, &view, driver)
        let export = try Self.export(Self.type("fleet.NDJSON", &view, driver))
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
        var (view, driver) = try Self.scene()
        #expect(Self.type(name, &view, driver) == nil)
        #expect(view.focus == .fileName)
        Fixture.press(.dismiss, &view, driver)
        #expect(view.focus == .table)
    }

    @Test("a file name with another ending is answered with the allowed endings, until the next key")
    func otherExtension() throws {
        func title(_ view: inout ViewModel, _ driver: ReplicaDriver) -> String {
            let content = view.content(of: driver.replica, rows: 5, messages: 0, at: driver.now)
            return Screen.lines(of: content, layout: ScreenLayout(width: 80, height: 10))[0].text
        }
        var (view, driver) = try Self.scene()
        #expect(Self.type("fleet.txt", &view, driver) == nil)
        #expect(
            title(&view, driver).hasPrefix(
                "not exported to “fleet.txt”: the name must end in .csv or .ndjson"))
        Fixture.press(.erase, &view, driver)
        #expect(title(&view, driver).hasPrefix("export 2 devices to: fleet.tx▏"))
    }

    @Test("an existing file is replaced only after y")
    func replacing() throws {
        var (view, driver) = try Self.scene()
        let export = try Self.export(Self.type("fleet.csv", &view, driver))
        view.handle(.fileExists(export), on: driver.replica, at: driver.now)
        #expect(view.prompt == "fleet.csv already exists: replace it? y n")
        Fixture.press(.dismiss, &view, driver)
        #expect(view.focus == .table)
        view.handle(.fileExists(export), on: driver.replica, at: driver.now)
        #expect(Fixture.press(.accept, &view, driver) == .export(export.replacing))
        view.handle(.exported(export.replacing), on: driver.replica, at: driver.now)
        #expect(view.hint?.text == "2 devices written to fleet.csv")
    }

    @Test("the end of a long file name is visible on a narrow screen")
    func narrow() throws {
        var (view, driver) = try Self.scene()
        Fixture.press(.export, &view, driver)
        for _ in 0..<80 { Fixture.press(.type("x"), &view, driver) }
        Fixture.press(.type("y"), &view, driver)
        let content = view.content(of: driver.replica, rows: 5, messages: 0, at: driver.now)
        let title = Screen.lines(of: content, layout: ScreenLayout(width: 40, height: 10))[0].text
        #expect(title.hasSuffix("xxy▏"))
        #expect(title.hasPrefix("…x"))
    }
}
