import FleetProtocol
import GatewayCore
import Testing

@Suite("Bodies of commands")
struct CommandReaderTests {
    private func reader(_ model: ProductModel = .sky, mode: ACMode = .cool) throws -> CommandReader {
        CommandReader(of: try Sample.pod(model, state: Sample.state(mode: mode)))
    }

    private func problem(_ read: () throws(APIError) -> Command.Kind) -> String? {
        do throws(APIError) {
            _ = try read()
            return nil
        } catch {
            guard case .badRequest(let why) = error else { return "\(error)" }
            return why
        }
    }

    @Test("a state body sets the named properties only")
    func partial() throws {
        let reader = try reader()
        #expect(
            try reader.state(Sample.body(#"{"acState":{"on":true}}"#)) == .set(ACStateChange(isOn: true)))
        let whole = """
            {"acState":{"timestamp":{"time":"x","secondsAgo":0},"on":false,"mode":"heat","targetTemperature":24,\
            "temperatureUnit":"C","fanLevel":"high","swing":"stopped","horizontalSwing":"rangeFull",\
            "light":"off","extra":{"a":[1]}},"unknown":null}
            """
        #expect(
            try reader.state(Sample.body(whole))
                == .set(
                    ACStateChange(
                        isOn: false, mode: .heat, targetTemperature: 24, temperatureUnit: .celsius,
                        fanLevel: .high, swing: .stopped, horizontalSwing: .rangeFull, light: .off)))
    }

    @Test("properties that the mode does not have are ignored in a state")
    func useless() throws {
        #expect(
            try reader().state(
                Sample.body(#"{"acState":{"mode":"fan","targetTemperature":24,"temperatureUnit":"C"}}"#))
                == .set(ACStateChange(mode: .fan)))
        #expect(
            try reader(.pure, mode: .fan).state(
                Sample.body(#"{"acState":{"on":true,"fanLevel":"low","swing":"stopped"}}"#))
                == .set(ACStateChange(isOn: true, fanLevel: .low)))
    }

    @Test("a single named property is passed on even if the mode does not have it")
    func namedProperty() throws {
        #expect(
            try reader(mode: .fan).property("targetTemperature", Sample.body(#"{"newValue":22}"#))
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
        let body = Sample.body(#"{"newValue":\#(value),"currentAcState":{"timestamp":{},"on":false}}"#)
        #expect(try reader().property(name, body) == .set(change))
    }

    @Test("a correction sends no signal")
    func correction() throws {
        let body = Sample.body(#"{"newValue":false,"reason":"StateCorrectionByUser"}"#)
        #expect(try reader().property("on", body) == .correct(ACStateChange(isOn: false)))
        #expect(
            try reader().state(Sample.body(#"{"acState":{"on":false},"reason":"StateCorrectionByUser"}"#))
                == .correct(ACStateChange(isOn: false)))
    }

    @Test(
        "an invalid value is refused",
        arguments: [
            ("targetTemperature", "1000"), ("targetTemperature", "22.5"), ("targetTemperature", "\"nan\""),
            ("targetTemperature", "\"\""), ("targetTemperature", "true"), ("targetTemperature", "null"),
            ("targetTemperature", "1e400"), ("on", "1"), ("on", "[true]"), ("fanLevel", "\"gale\""),
            ("fanLevel", "7"), ("mode", "{\"a\":1}"), ("temperatureUnit", "\"K\""), ("light", "true"),
            ("nonsense", "1"), ("__proto__", "1"),
        ])
    func values(name: String, value: String) throws {
        let reader = try reader()
        let problem = problem { () throws(APIError) in
            try reader.property(name, Sample.body(#"{"newValue":\#(value)}"#))
        }
        #expect(problem != nil)
    }

    @Test("an invalid value is named with Sensibo's message")
    func text() throws {
        let reader = try reader()
        #expect(
            problem { () throws(APIError) in
                try reader.property("fanLevel", Sample.body(#"{"newValue":"gale"}"#))
            } == "parameter 'newValue' invalid: Invalid fanLevel gale")
        #expect(
            problem { () throws(APIError) in try reader.state(Sample.body("{}")) }
                == "parameter 'acState' invalid: missing")
    }

    @Test("a state, a timer or a schedule that sets nothing is refused by the gateway, not by the controller")
    func nothing() throws {
        let reader = try reader()
        let state = #""acState":{"on":null}"#
        let corrected = #""reason":"StateCorrectionByUser""#
        let problems = [
            problem { () throws(APIError) in try reader.state(Sample.body("{\(state)}")) },
            problem { () throws(APIError) in try reader.state(Sample.body("{\(state),\(corrected)}")) },
            problem { () throws(APIError) in
                try reader.timer(Sample.body(#"{"minutesFromNow":30,\#(state)}"#))
            },
        ]
        #expect(problems.allSatisfy { $0 == "parameter 'acState' invalid: it sets nothing" })
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
        let reader = try reader()
        #expect(problem { () throws(APIError) in try reader.state(Sample.body(text)) } != nil)
    }

    @Test("a body larger than any client's is refused")
    func size() throws {
        let reader = try reader()
        let largest = #"{"acState":{"on":true}}"#
        let padded = largest + String(repeating: " ", count: APIRequest.bodyBytes - largest.utf8.count)
        #expect(try reader.state(Sample.body(padded)) == .set(ACStateChange(isOn: true)))
        #expect(throws: APIError.tooLarge) { try reader.state(Sample.body(padded + " ")) }
    }

    @Test("a Climate React body of Home Assistant is parsed")
    func climateReact() throws {
        let body = """
            {"enabled":true,"deviceUid":"abc","highTemperatureState":{"on":true,"mode":"cool","targetTemperature":18,\
            "temperatureUnit":"C","fanLevel":"high"},"highTemperatureThreshold":26.54,"lowTemperatureState":\
            {"on":true,"mode":"fan","targetTemperature":21},"lowTemperatureThreshold":"19","type":"temperature"}
            """
        #expect(
            try reader().climateReact(Sample.body(body))
                == .configure(
                    .climateReact(
                        ClimateReact(
                            low: ClimateReact.Side(
                                tenths: 190, change: ACStateChange(isOn: true, mode: .fan)),
                            high: ClimateReact.Side(
                                tenths: 265,
                                change: ACStateChange(
                                    isOn: true, mode: .cool, targetTemperature: 18,
                                    temperatureUnit: .celsius, fanLevel: .high))))))
    }

    @Test("Climate React with one side null sets the other, and is not enabled without the key")
    func oneSide() throws {
        let body = """
            {"enabled":false,"type":"humidity","lowTemperatureThreshold":null,"lowTemperatureState":null,\
            "highTemperatureThreshold":60,"highTemperatureState":{"on":true}}
            """
        #expect(
            try reader().climateReact(Sample.body(body))
                == .configure(
                    .climateReact(
                        ClimateReact(
                            isEnabled: false, measure: .humidity, low: nil,
                            high: ClimateReact.Side(tenths: 600, change: ACStateChange(isOn: true))))))
        #expect(
            try reader().climateReactEnabled(Sample.body(#"{"enabled":false}"#))
                == .configure(.climateReactEnabled(false)))
    }

    @Test(
        "invalid Climate React is refused",
        arguments: [
            #"{"type":"co2"}"#, #"{"enabled":"perhaps"}"#,
            #"{"lowTemperatureThreshold":1e9,"lowTemperatureState":{"on":true}}"#,
            #"{"lowTemperatureThreshold":"warm","lowTemperatureState":{"on":true}}"#,
            #"{"lowTemperatureThreshold":19,"lowTemperatureState":true}"#,
        ])
    func badClimateReact(body: String) throws {
        let reader = try reader()
        #expect(problem { () throws(APIError) in try reader.climateReact(Sample.body(body)) } != nil)
    }

    @Test("a Climate React body without thresholds clears them", arguments: [true, false])
    func clearedClimateReact(isEnabled: Bool) throws {
        let body = #"{"enabled":\#(isEnabled),"lowTemperatureWebhook":null,"sync_with_ac_power":false}"#
        #expect(
            try reader().climateReact(Sample.body(body))
                == .configure(.climateReact(ClimateReact(isEnabled: isEnabled, low: nil, high: nil))))
    }

    /// Kinds of requests, each with a body that has an unsupported key, and that key.
    private static let dropped: [(Ask, String, String)] = [
        (.state, #"{"acState":{"on":true,"targetTemprature":22}}"#, "targetTemprature"),
        (.state, #"{"acState":{"on":true},"delay":5}"#, "delay"),
        (.property, #"{"newValue":22,"unit":"C"}"#, "unit"),
        (.climateReact, #"{"enabled":true,"sync_with_ac_power":true}"#, "sync_with_ac_power"),
        (.climateReact, #"{"enabled":true,"lowTemperatureWebhook":"http://a"}"#, "lowTemperatureWebhook"),
        (.climateReact, #"{"lowTemperatureThreshold":19,"lowTemperatureState":null}"#, "lowTemperatureState"),
        (.climateReact, #"{"highTemperatureState":{"on":true}}"#, "highTemperatureThreshold"),
        (.climateReactEnabled, #"{"enabled":true,"lowTemperatureThreshold":18}"#, "lowTemperatureThreshold"),
        (.timer, #"{"minutesFromNow":5,"acState":{"on":false},"repeat":true}"#, "repeat"),
        (.calibration, #"{"temperature":1,"pm25":3}"#, "pm25"),
        (.pureBoost, #"{"enabled":true,"boost":9}"#, "boost"),
        (
            .schedule,
            #"{"targetTimeLocal":"22:15","acState":{"on":true},"recurOnDaysOfWeek":["sunday"],"isEnabled":false}"#,
            "isEnabled"
        ),
    ]

    /// A kind of request.
    enum Ask {
        case state, property, climateReact, climateReactEnabled, timer, calibration, pureBoost, schedule
    }

    @Test("a body with an unsupported key is refused, and the error names the key", arguments: dropped)
    func refusedDrops(ask: Ask, text: String, name: String) throws {
        let (reader, body) = (try reader(ask == .pureBoost ? .pure : .sky), Sample.body(text))
        let problem = problem { () throws(APIError) in
            switch ask {
            case .state: try reader.state(body)
            case .property: try reader.property("targetTemperature", body)
            case .climateReact: try reader.climateReact(body)
            case .climateReactEnabled: try reader.climateReactEnabled(body)
            case .timer: try reader.timer(body)
            case .calibration: try reader.calibration(body)
            case .pureBoost: try reader.pureBoost(body)
            case .schedule: try reader.schedule(body, as: ScheduleID(randomBits: 7))
            }
        }
        #expect(problem?.contains(name) == true, "\(problem ?? "accepted")")
    }

    @Test("a state is refused if the mode has none of the given properties")
    func allUseless() throws {
        let reader = try reader(mode: .fan)
        #expect(
            problem { () throws(APIError) in
                try reader.state(Sample.body(#"{"acState":{"targetTemperature":22,"temperatureUnit":"C"}}"#))
            } == "parameter 'acState' invalid: mode fan has no targetTemperature, temperatureUnit")
    }

    @Test(
        "a timer of a minute to a day is parsed",
        arguments: [("1", 60), ("\"30\"", 1_800), ("1440", 86_400), ("0.5", 30)] as [(String, UInt32)])
    func timer(minutes: String, seconds: UInt32) throws {
        #expect(
            try reader().timer(Sample.body(#"{"minutesFromNow":\#(minutes),"acState":{"on":false}}"#))
                == .configure(.timer(ACStateChange(isOn: false), afterSeconds: seconds)))
    }

    @Test("a timer that is too early or too late is refused with the bounds", arguments: ["0", "-1", "1441"])
    func timerBounds(minutes: String) throws {
        let reader = try reader()
        #expect(
            problem { () throws(APIError) in
                try reader.timer(Sample.body(#"{"minutesFromNow":\#(minutes),"acState":{"on":false}}"#))
            } == "parameter 'minutesFromNow' invalid: expected 1 to 1440")
    }

    @Test("an invalid timer is refused", arguments: ["1e300", "null", "\"soon\""])
    func badTimer(minutes: String) throws {
        let reader = try reader()
        #expect(
            problem { () throws(APIError) in
                try reader.timer(Sample.body(#"{"minutesFromNow":\#(minutes),"acState":{"on":false}}"#))
            } != nil)
    }
}

@Suite("Bodies of schedules and calibration")
struct PlanReaderTests {
    private let id = ScheduleID(randomBits: 7)

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
        #expect(
            try CommandReader(of: try Sample.pod()).schedule(Sample.body(body), as: id)
                == .configure(.schedule(id, plan)))
    }

    @Test(
        "an invalid schedule is refused",
        arguments: [
            #"{"targetTimeLocal":"24:00","acState":{"on":true},"recurOnDaysOfWeek":["sunday"]}"#,
            #"{"targetTimeLocal":"22:15","acState":{"on":true},"recurOnDaysOfWeek":[]}"#,
            #"{"targetTimeLocal":"22:15","acState":{"on":true},"recurOnDaysOfWeek":["someday"]}"#,
            #"{"targetTimeLocal":"22:15","acState":{"on":true}}"#,
            #"{"targetTimeLocal":"22:15","acState":{},"recurOnDaysOfWeek":["sunday"]}"#,
            #"{"targetTimeLocal":"22:15","timezone":"a b","acState":{"on":true},"recurOnDaysOfWeek":["sunday"]}"#,
            #"{"acState":{"on":true},"recurOnDaysOfWeek":["sunday"]}"#,
        ])
    func badSchedule(body: String) throws {
        let reader = CommandReader(of: try Sample.pod())
        #expect(throws: APIError.self) { try reader.schedule(Sample.body(body), as: id) }
    }

    @Test("an existing schedule can be enabled and deleted, and an unknown one is refused")
    func known() throws {
        var settings = DeviceSettings()
        settings.schedules = [try Sample.schedule(id)]
        let reader = CommandReader(of: try Sample.pod(settings: settings))
        #expect(
            try reader.scheduleEnabled(id.description, Sample.body(#"{"isEnabled":false}"#))
                == .configure(.scheduleEnabled(id, false)))
        #expect(try reader.noSchedule(id.description) == .configure(.noSchedule(id)))
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
            try CommandReader(of: try Sample.pod()).calibration(Sample.body(body))
                == .configure(.calibration(deciCelsius: deciCelsius, humidityPermille: permille)))
    }

    @Test(
        "an invalid or empty calibration is refused",
        arguments: [#"{"temperature":10.1}"#, #"{"humidity":-1e99}"#, "{}", #"{"temperature":"warm"}"#])
    func badCalibration(body: String) throws {
        let reader = CommandReader(of: try Sample.pod())
        #expect(throws: APIError.self) { try reader.calibration(Sample.body(body)) }
    }

    @Test("a Pure Boost body sets its keys, and keeps the others")
    func pureBoost() throws {
        var settings = DeviceSettings()
        settings.pureBoost = PureBoost(isEnabled: true, integrations: [.measurements, .geofence])
        let reader = CommandReader(of: try Sample.pod(.pure, settings: settings))
        let body = #"{"sensitivity":"S","geoIntegration":false,"acIntegration":true}"#
        #expect(
            try reader.pureBoost(Sample.body(body))
                == .configure(
                    .pureBoost(
                        PureBoost(
                            isEnabled: true, sensitivity: .sensitive,
                            integrations: [.measurements, .airConditioners]))))
        #expect(throws: APIError.self) { try reader.pureBoost(Sample.body(#"{"sensitivity":"X"}"#)) }
        #expect(
            try CommandReader(of: try Sample.pod(.pure)).pureBoost(Sample.body("{}"))
                == .configure(.pureBoost(.usual)))
    }
}
