import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing
import UserText

@testable import observer

@Suite("Conditions")
struct ConditionTests {
    private static func text(_ expected: String) -> Condition { .text(DeviceFilter(expected)) }
    private static let bedroom = Condition.DeviceName("Bedroom 7")

    private static let meanings: [(String, Condition?)] = [
        ("", nil), ("  ", nil), ("bedroom", text("bedroom")), ("Bedroom 7", text("Bedroom 7")),
        ("on", .state(.on)), ("OFFLINE", .state(.offline)), ("device", text("device")),
        ("\"on\"", text("on")),
        ("device \"Bedroom 7\" on", .device(bedroom, .on)), ("DEVICE \"Bedroom 7\"", .device(bedroom, nil)),
        (#"device "say \"hi\" \\" off"#, .device(Condition.DeviceName(#"say "hi" \"#), .off)),
        ("outcome applied", .outcome("applied")), ("site \"Haifa\"", .site("haifa")),
        ("site:Haifa", .site("haifa")),
        ("power on and site:\"Mill Lane\"", .and(.state(.on), .site("mill lane"))),
        ("site:Mill Lane", .site("mill lane")), ("all", text("all")),
        ("bed* and all", .and(text("bed*"), text("all"))),
        ("node node-1", .node("node-1")), ("model pure", .model("pure")), ("power on", .state(.on)),
        ("presence stale", .state(.stale)), ("temperature>26", .reading(.temperature, .more, tenths: 260)),
        ("feelslike <= -3.5", .reading(.feelsLike, .atMost, tenths: -35)),
        ("humidity != 50", .reading(.humidity, .other, tenths: 500)),
        ("not power on", .not(.state(.on))),
        ("a and b or not c and d", .or(.and(text("a"), text("b")), .and(.not(text("c")), text("d")))),
        ("a and (b or c)", .and(text("a"), .or(text("b"), text("c")))),
        ("site:hq and offline", .and(.site("hq"), .state(.offline))),
        ("site hq and \"offline\"", .and(.site("hq"), text("offline"))), ("on the roof", text("on the roof")),
        (
            "device \"Bedroom 7\" and target >= 22",
            .and(.device(bedroom, nil), .reading(.target, .atLeast, tenths: 220))
        ),
    ]

    @Test("a text is parsed into its condition", arguments: meanings)
    func meaning(text: String, condition: Condition?) throws {
        #expect(try Condition.parse(text) == condition)
    }

    @Test(
        "a condition's description is parsed into the same condition", arguments: meanings.compactMap { $0.1 }
    )
    func description(condition: Condition) throws {
        #expect(try Condition.parse(condition.description) == condition, "\(condition)")
    }

    @Test(
        "a condition's description has only the necessary brackets and quotation marks",
        arguments: [
            (
                "power on and (not site haifa or temperature > 26.0)",
                "power on and (not site haifa or temperature > 26)"
            ),
            ("((power on or power off) or (presence stale))", "power on or power off or presence stale"),
            ("power on or (power off or presence stale)", "power on or (power off or presence stale)"),
            ("not (power on and power off)", "not (power on and power off)"),
            ("not not model pure", "not not model pure"),
            (#"device "A-1" on and device "B 1""#, #"device A-1 on and device "B 1""#),
            ("FEELSLIKE<-0.5", "feelsLike < -0.5"),
            ("big hall and outcome applied", #""big hall" and outcome applied"#),
        ])
    func wording(text: String, expected: String) throws {
        #expect(try Condition.parse(text)?.description == expected)
    }

    private static let wrongTexts: [(String, Int, String)] = [
        ("device \"Bedroom", 8, "unterminated"),
        ("device", 0, ""),
        ("device \"Bedroom 7\" onn", 20, "on, off, online, offline, stale, unknown, and, or"),
        ("device and on and", 18, "allowed: device, site"),
        ("outcome done", 9, "applied, unchanged"),
        ("power stale", 7, "on, off"),
        ("presence on", 10, "online, offline"),
        ("temperature 26", 13, "<, <=, >, >=, =, !="),
        ("temperature > warm", 15, "a number"),
        ("temperature > 26.55", 15, "one decimal"),
        ("temp > 26", 6, "temperature, feelsLike, humidity, target"),
        ("a and", 6, "unexpected end of the condition"),
        ("and a", 1, "allowed: device"),
        ("(a or b", 8, "“)”"),
        ("a)", 2, "and, or, or the end"),
        ("a ! b", 3, "!="),
        ("model car or a", 7, "skyv2"),
        (String(repeating: "(", count: 40), 33, "more than 32"),
        (String(repeating: "a", count: 5_000), 4_097, "longer than 4096 characters"),
    ]

    @Test(
        "an error in a condition has its column and the allowed words",
        arguments: wrongTexts.filter { $0.1 > 0 })
    func wrongText(text: String, column: Int, expected: String) throws {
        let error = try #require(throws: ConditionError.self) { try Condition.parse(text) }
        #expect(error.column == column)
        #expect(error.description.contains(expected), "\(error)")
    }

    @Test("any text is parsed, or refused at a column within it", arguments: UInt64(1)...500)
    func anything(seed: UInt64) {
        let pieces = [
            "device", "\"", "x", "(", ")", "and", "or", "not", ">", "!", "=", "temperature", "26", " ", "🛏",
            "\\",
        ]
        var random = SeededGenerator(seed: seed)
        let text = (0..<12).compactMap { _ in pieces.randomElement(using: &random) }.joined(separator: " ")
        do throws(ConditionError) {
            _ = try Condition.parse(text)
        } catch {
            #expect((1...text.count + 1).contains(error.column), "\(text): \(error)")
        }
    }

    /// A fleet of three: 1 runs at 27 °C in Haifa, 2 is off at 20 °C in Haifa without a link, 3 is off.
    private static func fleet() throws -> ReplicaDriver {
        func measured(_ deciCelsius: Int16) throws -> SnapshotChunk.Measured {
            let measurements = Measurements(
                deciCelsius: deciCelsius, feelsLikeDeciCelsius: deciCelsius, humidityPermille: 500,
                rssiDBm: -60)
            return SnapshotChunk.Measured(try #require(measurements), at: Fixture.start.wall)
        }
        let haifa = DeviceGroup(model: .sky, site: "Haifa", firmware: "", remote: .discrete)
        let rows = [
            Fixture.row(1, group: 1, state: Fixture.state(on: true), measured: try measured(270)),
            Fixture.row(2, group: 1, isConnected: false, measured: try measured(200)), Fixture.row(3),
        ]
        var driver = ReplicaDriver.joining()
        driver.receive(Fixture.update(7, 10, .beat))
        try driver.answer(
            Fixture.chunk(
                7, 10, rows: rows, groups: [SnapshotChunk.Group(number: GroupNumber(1), group: haifa)]))
        return driver
    }

    private static let truths: [(String, [Int])] = [
        ("room 2", [2]), ("device \"bedroom 1\"", [1]), ("device \"Bedroom 1\" on", [1]),
        ("device \"Bedroom 2\" on", []), ("device \(Fixture.device(3)) off", [3]), ("site haifa", [1, 2]),
        ("site:hai*", [1, 2]), ("all", [1, 2, 3]), ("not all", []),
        ("not site Haifa", [3]), ("power off", [2, 3]), ("presence offline", [2]),
        ("presence online", [1, 3]),
        ("node node-1", [1, 2, 3]), ("node node-2", []), ("model skyv2", [1, 2]),
        ("temperature > 26.9", [1]), ("temperature >= 20", [1, 2]), ("temperature < 99", [1, 2]),
        ("humidity = 50 and power on", [1]), ("target = 22", [1, 2, 3]), ("target != 22", []),
        ("outcome applied", []), ("on", [1]), ("site:haifa and offline", [2]),
        ("power on or device \"Bedroom 3\"", [1, 3]),
    ]

    @Test("a filter selects the devices that satisfy its condition", arguments: truths)
    func filters(text: String, devices: [Int]) throws {
        let replica = try Self.fleet().replica
        let filter = EventFilter(try Condition.parse(text))
        let shown = (1...3).filter { number in
            replica.row(of: Fixture.device(number)).map { filter.matches($0, of: replica) } ?? false
        }
        #expect(shown == devices)
    }

    @Test("a condition on outcomes selects outcomes, and not states")
    func outcomes() throws {
        var driver = try Self.fleet()
        driver.clear()
        let state = Fixture.state(on: true, version: 2)
        driver.receive(.reported(Fixture.device(1), state))
        for outcome in [Outcome.applied(state), .cancelled] {
            driver.receive(.outcome(try Fixture.report(outcome, device: Fixture.device(1))))
        }
        let filter = EventFilter(try Condition.parse("outcome applied"))
        #expect(driver.observerEvents.map { filter.matches($0, of: driver.replica) } == [false, true, false])
    }

    // MARK: Waiting

    /// The answers of a wait to each event since the replica was empty, and to a tick after each.
    private func answers(
        to text: String, _ change: (inout ReplicaDriver) throws -> Void
    ) throws -> [ConditionWatch.Match] {
        var driver = try Self.fleet()
        var watch = ConditionWatch(for: try #require(try Condition.parse(text)))
        var answers = driver.observerEvents.compactMap { watch.handle($0, of: driver.replica) }
        driver.clear()
        try change(&driver)
        answers += driver.observerEvents.compactMap { watch.handle($0, of: driver.replica) }
        return answers + [watch.tick(driver.replica)].compactMap { $0 }
    }

    private static func device(_ number: Int) throws -> ConditionWatch.Match {
        let node = try Fixture.node().name
        return .device(FleetEvent.Device(id: Fixture.device(number), name: "Bedroom \(number)", node: node))
    }

    @Test("a condition that holds when the observer joins is reported at once")
    func atOnce() throws {
        #expect(try answers(to: "device \"Bedroom 1\" on") { _ in } == [Self.device(1)])
        #expect(try answers(to: "temperature < 21") { _ in } == [Self.device(2)])
        #expect(try answers(to: "device \"Bedroom 1\" on and device \"Bedroom 2\" off") { _ in } == [.fleet])
    }

    @Test("a condition that does not hold is awaited, whatever makes it true")
    func later() throws {
        let on = Fixture.state(on: true, version: 2)
        let both = "device \"Bedroom 2\" on and device \"Bedroom 3\" on"
        #expect(try answers(to: both) { $0.receive(.reported(Fixture.device(2), on)) } == [])
        #expect(
            try answers(to: both) { driver in
                driver.receive(.reported(Fixture.device(2), on))
                driver.receive(.reported(Fixture.device(3), on))
            }.first == .fleet)
        #expect(
            try answers(to: "outcome cancelled") { driver in
                driver.receive(.outcome(try Fixture.report(.cancelled, device: Fixture.device(2))))
            } == [Self.device(2)])
        #expect(
            try answers(to: "node node-1 and presence offline and device \"Bedroom 1\"") { driver in
                driver.receive(.node(try Fixture.node(1, "node-1", .offline(.nodeLost)), devices: 3))
            } == [Self.device(1)])
        #expect(try answers(to: "device New") { $0.receive(.added(Fixture.row(4, name: "new"))) }.count == 2)
    }

    @Test("a condition is not evaluated on a stale replica")
    func stale() throws {
        var driver = try Self.fleet()
        driver.clear()
        var watch = ConditionWatch(for: try #require(try Condition.parse("device \"Bedroom 3\" on")))
        driver.receive(
            Fixture.update(7, 15, .reported(Fixture.device(3), Fixture.state(on: true, version: 2))))
        #expect(!driver.replica.isWhole)
        #expect(driver.observerEvents.allSatisfy { watch.handle($0, of: driver.replica) == nil })
    }
}

@Suite("Conditions typed on the screen")
struct TypedConditionTests {
    private static func reader() throws -> ScreenReader {
        let rows = (1...6).map { number in
            Fixture.row(
                number, name: number == 6 ? "Power on" : "Bedroom \(number)",
                state: Fixture.state(on: number % 2 == 0), isConnected: number < 5)
        }
        let reader = try ScreenReader(.whole(rows))
        reader.width = 80
        return reader
    }

    private static func type(_ text: String, _ reader: ScreenReader) {
        reader.press(.escape, .character("/"))
        reader.type(text)
    }

    private static func names(_ reader: ScreenReader) -> [String] {
        let rows = reader.lines().dropFirst(2).prefix { !$0.hasPrefix("──") && !$0.isEmpty }
        return rows.map { $0.prefix(9).split(separator: " ").joined(separator: " ") }
    }

    @Test(
        "a condition of several words filters, and a single word is a part of a name",
        arguments: [
            ("not bedroom*", ["Power on"]), ("power off and online", ["Bedroom 1", "Bedroom 3"]),
            ("offline or version > 3", []), ("bedroom* and offline", ["Bedroom 5"]), ("on", ["Power on"]),
            ("bedroom 2", ["Bedroom 2"]), ("bedroom", (1...5).map { "Bedroom \($0)" }),
        ])
    func filtered(text: String, names: [String]) throws {
        let reader = try Self.reader()
        Self.type(text, reader)
        guard text.contains("version") else {
            #expect(Self.names(reader) == names)
            reader.press(.enter)
            #expect(Self.names(reader) == names)
            #expect(reader.lines()[0].contains("/\(text)"))
            return
        }
        #expect(reader.lines()[2] == "no device matches “\(text)”")
        #expect(reader.lines()[3].hasPrefix("not a condition: column 20: "))
        #expect(reader.lines().contains("esc clears the filter"))
    }

    @Test("the rows follow the condition, and esc shows all devices again")
    func live() throws {
        let reader = try Self.reader()
        Self.type("power on and online", reader)
        reader.press(.enter)
        #expect(Self.names(reader) == ["Bedroom 2", "Bedroom 4"])
        reader.driver.receive(.reported(Fixture.device(3), Fixture.state(on: true, version: 2)))
        reader.driver.now = reader.driver.now.advanced(by: .seconds(1))
        #expect(Self.names(reader) == ["Bedroom 2", "Bedroom 3", "Bedroom 4"])
        reader.press(.escape)
        #expect(Self.names(reader).count == 6)
    }

    @Test("a condition is complete again after each character that is erased and typed again")
    func edited() throws {
        let reader = try Self.reader()
        Self.type("power off and online", reader)
        for _ in 0..<6 { reader.press(.backspace) }
        #expect(Self.names(reader) != ["Bedroom 1", "Bedroom 3"])
        for _ in 0..<4 { reader.press(.backspace) }
        reader.press(.backspace, .backspace)
        reader.type("f and offline")
        #expect(Self.names(reader) == ["Bedroom 5"])
    }

    @Test("the end of a long typed filter stays visible", arguments: [40, 80])
    func long(width: Int) throws {
        let reader = try Self.reader()
        reader.width = width
        Self.type("bedroom* and not site:Home and power on and presence online and humidity > 40", reader)
        #expect(reader.lines()[0].hasSuffix("humidity > 40▏"))
    }
}
