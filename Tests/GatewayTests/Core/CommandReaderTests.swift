import FleetProtocol
import GatewayCore
import Testing

@Suite("Bodies of commands")
struct CommandReaderTests {
    /// A kind of request.
    enum Ask {
        case state, property(String), climateReact, climateReactEnabled, timer, calibration, pureBoost,
            schedule
    }

    private static let id = ScheduleID(randomBits: 7)

    private func reader(_ model: ProductModel = .sky, mode: ACMode = .cool) throws -> CommandReader {
        CommandReader(of: try Sample.pod(model, state: Sample.state(mode: mode)))
    }

    /// The command in a body of a kind of request.
    private func read(_ ask: Ask, _ text: String, by reader: CommandReader) throws(APIError) -> Command.Kind {
        let body = Sample.body(text)
        return switch ask {
        case .state: try reader.state(body)
        case .property(let name): try reader.property(name, body)
        case .climateReact: try reader.climateReact(body)
        case .climateReactEnabled: try reader.climateReactEnabled(body)
        case .timer: try reader.timer(body)
        case .calibration: try reader.calibration(body)
        case .pureBoost: try reader.pureBoost(body)
        case .schedule: try reader.schedule(body, as: Self.id)
        }
    }

    /// Why a body of a kind of request is refused; nil if it is not.
    private func problem(_ ask: Ask, _ text: String, for reader: CommandReader) -> String? {
        do throws(APIError) {
            _ = try read(ask, text, by: reader)
            return nil
        } catch {
            guard case .badRequest(let why) = error else { return "\(error)" }
            return why
        }
    }

    @Test("a state body sets the named properties only")
    func partial() throws {
        let reader = try reader()
        #expect(try read(.state, #"{"acState":{"on":true}}"#, by: reader) == .set(ACStateChange(isOn: true)))
        let whole = """
            {"acState":{"timestamp":{"time":"x","secondsAgo":0},"on":false,"mode":"heat","targetTemperature":24,\
            "temperatureUnit":"C","fanLevel":"high","swing":"stopped","horizontalSwing":"rangeFull",\
            "light":"off","extra":{"a":[1]}},"unknown":null}
            """
        #expect(
            try read(.state, whole, by: reader)
                == .set(
                    ACStateChange(
                        isOn: false, mode: .heat, targetTemperature: 24, temperatureUnit: .celsius,
                        fanLevel: .high, swing: .stopped, horizontalSwing: .rangeFull, light: .off)))
    }

    @Test("properties that the mode does not have are ignored in a state")
    func useless() throws {
        let fan = #"{"acState":{"mode":"fan","targetTemperature":24,"temperatureUnit":"C"}}"#
        #expect(try read(.state, fan, by: reader()) == .set(ACStateChange(mode: .fan)))
        let swing = #"{"acState":{"on":true,"fanLevel":"low","swing":"stopped"}}"#
        #expect(
            try read(.state, swing, by: reader(.pure, mode: .fan))
                == .set(ACStateChange(isOn: true, fanLevel: .low)))
    }

    @Test("a state is refused if the mode has none of the given properties")
    func allUseless() throws {
        let body = #"{"acState":{"targetTemperature":22,"temperatureUnit":"C"}}"#
        #expect(
            try problem(.state, body, for: reader(mode: .fan))
                == "parameter 'acState' invalid: mode fan has no targetTemperature, temperatureUnit")
    }

    @Test("a single named property is passed on even if the mode does not have it")
    func namedProperty() throws {
        #expect(
            try read(.property("targetTemperature"), #"{"newValue":22}"#, by: reader(mode: .fan))
                == .set(ACStateChange(targetTemperature: 22)))
    }

    @Test(
        "a property body sets a new value, also if sent as text",
        arguments: [
            ("on", "true", ACStateChange(isOn: true)), ("on", "\"false\"", ACStateChange(isOn: false)),
            ("on", "\"True\"", ACStateChange(isOn: true)),
            ("targetTemperature", "22", ACStateChange(targetTemperature: 22)),
            ("targetTemperature", "\"22\"", ACStateChange(targetTemperature: 22)),
            ("targetTemperature", "22.0", ACStateChange(targetTemperature: 22)),
            ("mode", "\"dry\"", ACStateChange(mode: .dry)),
            ("temperatureUnit", "\"F\"", ACStateChange(temperatureUnit: .fahrenheit)),
            ("fanLevel", "\"quiet\"", ACStateChange(fanLevel: .quiet)),
            ("swing", "\"rangeFull\"", ACStateChange(swing: .rangeFull)),
            ("horizontalSwing", "\"fixedLeft\"", ACStateChange(horizontalSwing: .fixedLeft)),
            ("light", "\"off\"", ACStateChange(light: .off)),
        ])
    func properties(name: String, value: String, change: ACStateChange) throws {
        let body = #"{"newValue":\#(value),"currentAcState":{"timestamp":{},"on":false}}"#
        #expect(try read(.property(name), body, by: reader()) == .set(change))
    }

    @Test("a correction sends no signal")
    func correction() throws {
        let expected = Command.Kind.correct(ACStateChange(isOn: false))
        let property = #"{"newValue":false,"reason":"StateCorrectionByUser"}"#
        #expect(try read(.property("on"), property, by: reader()) == expected)
        let state = #"{"acState":{"on":false},"reason":"StateCorrectionByUser"}"#
        #expect(try read(.state, state, by: reader()) == expected)
    }

    @Test(
        "an invalid value of a property is refused",
        arguments: [
            ("targetTemperature", "1000"), ("targetTemperature", "22.5"), ("targetTemperature", "\"nan\""),
            ("targetTemperature", "\"\""), ("targetTemperature", "true"), ("targetTemperature", "null"),
            ("targetTemperature", "1e400"), ("on", "1"), ("on", "[true]"), ("fanLevel", "\"gale\""),
            ("fanLevel", "7"), ("mode", "{\"a\":1}"), ("temperatureUnit", "\"K\""), ("light", "true"),
            ("nonsense", "1"), ("__proto__", "1"),
        ])
    func values(name: String, value: String) throws {
        #expect(try problem(.property(name), #"{"newValue":\#(value)}"#, for: reader()) != nil)
    }

    @Test(
        "an invalid body is refused",
        arguments: [
            (.climateReact, #"{"type":"co2"}"#), (.climateReact, #"{"enabled":"perhaps"}"#),
            (.climateReact, #"{"lowTemperatureThreshold":1e9,"lowTemperatureState":{"on":true}}"#),
            (.climateReact, #"{"lowTemperatureThreshold":"warm","lowTemperatureState":{"on":true}}"#),
            (.climateReact, #"{"lowTemperatureThreshold":19,"lowTemperatureState":true}"#),
            (.timer, #"{"minutesFromNow":1e300,"acState":{"on":false}}"#),
            (.timer, #"{"minutesFromNow":null,"acState":{"on":false}}"#),
            (.timer, #"{"minutesFromNow":"soon","acState":{"on":false}}"#),
            (.schedule, #"{"targetTimeLocal":"24:00","acState":{"on":true},"recurOnDaysOfWeek":["sunday"]}"#),
            (.schedule, #"{"targetTimeLocal":"22:15","acState":{"on":true},"recurOnDaysOfWeek":[]}"#),
            (
                .schedule,
                #"{"targetTimeLocal":"22:15","acState":{"on":true},"recurOnDaysOfWeek":["someday"]}"#
            ),
            (.schedule, #"{"targetTimeLocal":"22:15","acState":{"on":true}}"#),
            (.schedule, #"{"targetTimeLocal":"22:15","acState":{},"recurOnDaysOfWeek":["sunday"]}"#),
            (
                .schedule,
                #"{"targetTimeLocal":"22:15","timezone":"a b","acState":{"on":true},"recurOnDaysOfWeek":["sunday"]}"#
            ),
            (
                .schedule,
                #"{"targetTimeLocal":"22:15","timezone":1,"acState":{"on":true},"recurOnDaysOfWeek":["sunday"]}"#
            ),
            (.schedule, #"{"acState":{"on":true},"recurOnDaysOfWeek":["sunday"]}"#),
            (.calibration, #"{"temperature":10.1}"#), (.calibration, #"{"humidity":-1e99}"#),
            (.calibration, #"{"temperature":10.04}"#), (.calibration, #"{"humidity":-10.000000000000002}"#),
            (.calibration, "{}"), (.calibration, #"{"temperature":"warm"}"#),
            (.pureBoost, #"{"sensitivity":"X"}"#),
        ] as [(Ask, String)])
    func invalid(ask: Ask, text: String) throws {
        #expect(try problem(ask, text, for: reader(ask.model)) != nil)
    }

    @Test("an invalid value is named with Sensibo's message")
    func text() throws {
        let reader = try reader()
        #expect(
            problem(.property("fanLevel"), #"{"newValue":"gale"}"#, for: reader)
                == "parameter 'newValue' invalid: Invalid fanLevel gale")
        #expect(problem(.state, "{}", for: reader) == "parameter 'acState' invalid: missing")
    }

    @Test(
        "a state, a timer or a schedule that sets nothing is refused by the gateway, not by the controller",
        arguments: [
            (.state, #"{"acState":{"on":null}}"#),
            (.state, #"{"acState":{"on":null},"reason":"StateCorrectionByUser"}"#),
            (.timer, #"{"minutesFromNow":30,"acState":{"on":null}}"#),
        ] as [(Ask, String)])
    func nothing(ask: Ask, text: String) throws {
        #expect(try problem(ask, text, for: reader()) == "parameter 'acState' invalid: it sets nothing")
    }

    @Test(
        "a body that is not an object is refused",
        arguments: [
            "", "null", "[]", "42", "{", "{\"acState\":", "{\"acState\":[]}", "\u{0}\u{1}\u{2}",
            "{'acState':{}}",
            String(repeating: "[", count: 5_000),
            "{\"acState\":" + String(repeating: "{\"a\":", count: 3_000),
        ])
    func noObject(text: String) throws {
        #expect(try problem(.state, text, for: reader()) != nil)
    }

    @Test(
        "the last of several members with one key counts, and a byte order mark is passed over",
        arguments: [#"{"newValue":true,"newValue":false}"#, "\u{feff}{\"newValue\":false}"])
    func leniency(text: String) throws {
        #expect(try read(.property("on"), text, by: reader()) == .set(ACStateChange(isOn: false)))
    }

    @Test("a body larger than any client's is refused")
    func size() throws {
        let reader = try reader()
        let largest = #"{"acState":{"on":true}}"#
        let padded = largest + String(repeating: " ", count: APIRequest.bodyBytes - largest.utf8.count)
        #expect(try read(.state, padded, by: reader) == .set(ACStateChange(isOn: true)))
        #expect(throws: APIError.tooLarge) { try read(.state, padded + " ", by: reader) }
    }

    @Test("a Climate React body of Home Assistant is parsed")
    func climateReact() throws {
        let body = """
            {"enabled":true,"deviceUid":"abc","highTemperatureState":{"on":true,"mode":"cool","targetTemperature":18,\
            "temperatureUnit":"C","fanLevel":"high"},"highTemperatureThreshold":26.54,"lowTemperatureState":\
            {"on":true,"mode":"fan","targetTemperature":21},"lowTemperatureThreshold":"19","type":"temperature"}
            """
        let low = ClimateReact.Side(tenths: 190, change: ACStateChange(isOn: true, mode: .fan))
        let high = ClimateReact.Side(
            tenths: 265,
            change: ACStateChange(
                isOn: true, mode: .cool, targetTemperature: 18, temperatureUnit: .celsius, fanLevel: .high))
        #expect(
            try read(.climateReact, body, by: reader())
                == .configure(.climateReact(ClimateReact(low: low, high: high))))
    }

    @Test("Climate React with one side null sets the other, and is not enabled without the key")
    func oneSide() throws {
        let body = """
            {"enabled":false,"type":"humidity","lowTemperatureThreshold":null,"lowTemperatureState":null,\
            "highTemperatureThreshold":60,"highTemperatureState":{"on":true}}
            """
        let high = ClimateReact.Side(tenths: 600, change: ACStateChange(isOn: true))
        #expect(
            try read(.climateReact, body, by: reader())
                == .configure(
                    .climateReact(ClimateReact(isEnabled: false, measure: .humidity, low: nil, high: high))))
        #expect(
            try read(.climateReactEnabled, #"{"enabled":false}"#, by: reader())
                == .configure(.climateReactEnabled(false)))
    }

    @Test("a Climate React body without thresholds clears them", arguments: [true, false])
    func clearedClimateReact(isEnabled: Bool) throws {
        let body = #"{"enabled":\#(isEnabled),"lowTemperatureWebhook":null,"sync_with_ac_power":false}"#
        #expect(
            try read(.climateReact, body, by: reader())
                == .configure(.climateReact(ClimateReact(isEnabled: isEnabled, low: nil, high: nil))))
    }

    @Test(
        "a body with an unsupported key is refused, and the error names the key",
        arguments: [
            (.state, #"{"acState":{"on":true,"targetTemprature":22}}"#, "targetTemprature"),
            (.state, #"{"acState":{"on":true},"delay":5}"#, "delay"),
            (.property("targetTemperature"), #"{"newValue":22,"unit":"C"}"#, "unit"),
            (.climateReact, #"{"enabled":true,"sync_with_ac_power":true}"#, "sync_with_ac_power"),
            (.climateReact, #"{"enabled":true,"lowTemperatureWebhook":"http://a"}"#, "lowTemperatureWebhook"),
            (
                .climateReact, #"{"lowTemperatureThreshold":19,"lowTemperatureState":null}"#,
                "lowTemperatureState"
            ),
            (.climateReact, #"{"highTemperatureState":{"on":true}}"#, "highTemperatureThreshold"),
            (
                .climateReactEnabled, #"{"enabled":true,"lowTemperatureThreshold":18}"#,
                "lowTemperatureThreshold"
            ),
            (.timer, #"{"minutesFromNow":5,"acState":{"on":false},"repeat":true}"#, "repeat"),
            (.calibration, #"{"temperature":1,"pm25":3}"#, "pm25"),
            (.pureBoost, #"{"enabled":true,"boost":9}"#, "boost"),
            (
                .schedule,
                #"{"targetTimeLocal":"22:15","acState":{"on":true},"recurOnDaysOfWeek":["sunday"],"isEnabled":false}"#,
                "isEnabled"
            ),
        ] as [(Ask, String, String)])
    func refusedDrops(ask: Ask, text: String, name: String) throws {
        let problem = try problem(ask, text, for: reader(ask.model))
        #expect(problem?.contains(name) == true, "\(problem ?? "accepted")")
    }

    @Test(
        "a timer of a minute to a day is parsed",
        arguments: [("1", 60), ("\"30\"", 1_800), ("1440", 86_400), ("0.5", 30)] as [(String, UInt32)])
    func timer(minutes: String, seconds: UInt32) throws {
        #expect(
            try read(.timer, #"{"minutesFromNow":\#(minutes),"acState":{"on":false}}"#, by: reader())
                == .configure(.timer(ACStateChange(isOn: false), afterSeconds: seconds)))
    }

    @Test(
        "a timer that is too early or too late is refused with the bounds",
        arguments: ["0", "-1", "1440.005", "1441"])
    func timerBounds(minutes: String) throws {
        #expect(
            try problem(.timer, #"{"minutesFromNow":\#(minutes),"acState":{"on":false}}"#, for: reader())
                == "parameter 'minutesFromNow' invalid: expected 1 to 1440")
    }

    @Test("a schedule body of Sensibo's documentation is parsed")
    func schedule() throws {
        let body = """
            {"targetTimeLocal":"22:15","timezone":"Europe/Oslo","acState":{"on":false,"mode":"cool"},\
            "recurOnDaysOfWeek":["sunday","Monday"]}
            """
        let plan = SchedulePlan(
            change: ACStateChange(isOn: false, mode: .cool),
            time: try #require(LocalTime("22:15")), weekdays: Weekdays([.sunday, .monday]),
            zone: try #require(TimeZoneName("Europe/Oslo")))
        #expect(try read(.schedule, body, by: reader()) == .configure(.schedule(Self.id, plan)))
    }

    @Test("an existing schedule can be enabled and deleted, and an unknown one is refused")
    func known() throws {
        var settings = DeviceSettings()
        settings.schedules = [try Sample.schedule(Self.id)]
        let reader = CommandReader(of: try Sample.pod(settings: settings))
        #expect(
            try reader.scheduleEnabled(Self.id.description, Sample.body(#"{"isEnabled":false}"#))
                == .configure(.scheduleEnabled(Self.id, false)))
        #expect(try reader.noSchedule(Self.id.description) == .configure(.noSchedule(Self.id)))
        #expect(throws: APIError.noSchedule) { try reader.noSchedule("zzzzzzzz") }
        #expect(throws: APIError.noSchedule) { try reader.scheduleEnabled("", Sample.body("{}")) }
    }

    @Test(
        "a calibration body is parsed",
        arguments: [
            (#"{"temperature":0.1}"#, 1, nil), (#"{"humidity":-1.0}"#, nil, -10),
            (#"{"temperature":"-2.5","humidity":10}"#, -25, 100),
            (#"{"temperature":0,"humidity":null}"#, 0, nil),
        ] as [(String, Int16?, Int16?)])
    func calibration(body: String, deciCelsius: Int16?, permille: Int16?) throws {
        #expect(
            try read(.calibration, body, by: reader())
                == .configure(.calibration(deciCelsius: deciCelsius, humidityPermille: permille)))
    }

    @Test("a Pure Boost body sets its keys, and keeps the others")
    func pureBoost() throws {
        var settings = DeviceSettings()
        settings.pureBoost = PureBoost(isEnabled: true, integrations: [.measurements, .geofence])
        let configured = CommandReader(of: try Sample.pod(.pure, settings: settings))
        let changed = PureBoost(
            isEnabled: true, sensitivity: .sensitive, integrations: [.measurements, .airConditioners])
        #expect(
            try read(
                .pureBoost, #"{"sensitivity":"S","geoIntegration":false,"acIntegration":true}"#,
                by: configured)
                == .configure(.pureBoost(changed)))
        #expect(try read(.pureBoost, "{}", by: reader(.pure)) == .configure(.pureBoost(.usual)))
    }
}

extension CommandReaderTests.Ask {
    /// A model that has what the request sets.
    fileprivate var model: ProductModel {
        if case .pureBoost = self { .pure } else { .sky }
    }
}
