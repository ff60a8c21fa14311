import FleetProtocol
import Foundation
import GatewayCore
import Testing

@Suite("Pod objects")
struct PodTests {
    /// Without one of these pysensibo 1.2.1 reads no pod at all; some must not be null.
    private static let needed = [
        "id", "macAddress", "serial", "room", "productModel", "firmwareVersion", "firmwareType",
        "currentlyAvailableFirmwareVersion", "connectionStatus", "acState", "measurements",
        "remoteCapabilities", "timer", "schedules", "sensorsCalibration", "location", "motionSensors",
        "mainMeasurementsSensor", "roomIsOccupied", "pureBoostConfig", "antiMoldConfig", "autoOffEnabled",
        "autoOffMinutes", "smartMode", "filtersCleaning",
    ]
    private static let neverNull = [
        "room", "connectionStatus", "acState", "measurements", "filtersCleaning", "sensorsCalibration",
        "location", "schedules", "motionSensors", "id", "macAddress", "serial", "productModel",
        "firmwareVersion",
    ]

    @Test("a pod of every model has the keys that clients require", arguments: ProductModel.allCases)
    func needed(model: ProductModel) throws {
        let silent = Pod(
            device: Sample.device, name: "", reported: Sample.state(), asOf: Sample.now,
            presence: Presence(.unknown, since: Sample.now),
            group: DeviceGroup(model: model, site: "", firmware: "", remote: .discrete))
        for pod in [try Sample.pod(model), silent] {
            let object = try Sample.object(of: pod)
            for key in Self.needed { #expect(object[key] != nil, "\(key) is missing") }
            for key in Self.neverNull { #expect(!(object[key] is NSNull), "\(key) is null") }
            #expect((object["room"] as? [String: Any])?["name"] is String)
            #expect((object["acState"] as? [String: Any])?["timestamp"] is [String: Any])
            #expect((object["location"] as? [String: Any])?["occupancy"] is String)
        }
    }

    @Test("a Sky has the names of Sensibo's API")
    func sky() throws {
        let object = try Sample.object(
            of: try Sample.pod(remote: .toggle, changes: Pod.ChangeTimes(last: Sample.ago(90))))
        #expect(object["id"] as? String == Sample.device.description)
        #expect(object["productModel"] as? String == "skyv2")
        #expect(object["firmwareVersion"] as? String == "SKY30046")
        #expect(object["currentlyAvailableFirmwareVersion"] as? String == "SKY30046")
        #expect(object["temperatureUnit"] as? String == "C")
        #expect((object["remote"] as? [String: Bool]) == ["toggle": true, "window": false])
        let state = try #require(object["acState"] as? [String: Any])
        #expect(
            Set(state.keys) == [
                "timestamp", "on", "mode", "targetTemperature", "temperatureUnit", "fanLevel", "swing",
                "horizontalSwing", "light",
            ])
        #expect(state["on"] as? Bool == true)
        #expect(state["mode"] as? String == "cool")
        #expect(state["targetTemperature"] as? Int == 22)
        #expect(state["light"] as? String == "on")
        #expect((state["timestamp"] as? [String: Any])?["secondsAgo"] as? Int == 90)
        let measured = try #require(object["measurements"] as? [String: Any])
        #expect(measured["temperature"] as? Double == 21.5)
        #expect(measured["humidity"] as? Double == 45.7)
        #expect(measured["feelsLike"] as? Double == 21.6)
        #expect(measured["rssi"] as? Int == -61)
    }

    @Test("a pod's state has the properties of its mode")
    func modes() throws {
        let fan = try Sample.object(of: try Sample.pod(state: Sample.state(mode: .fan)))
        let state = try #require(fan["acState"] as? [String: Any])
        #expect(state["targetTemperature"] == nil)
        #expect(state["temperatureUnit"] == nil)
        #expect(state["swing"] as? String == "stopped")
    }

    @Test("an Elements has the state, the capabilities and the firmware of a recorded one")
    func elements() throws {
        let object = try Sample.object(
            of: try Sample.pod(.elements, state: Sample.state(mode: .fan, fan: .high)))
        let state = try #require(object["acState"] as? [String: Any])
        #expect(Set(state.keys) == ["timestamp", "on", "mode", "fanLevel", "light"])
        #expect(state["mode"] as? String == "fan")
        let capabilities = try #require(object["remoteCapabilities"] as? [String: [String: [String: Any]]])
        #expect(Set(try #require(capabilities["modes"]).keys) == ["fan"])
        let fan = try #require(capabilities["modes"]?["fan"])
        #expect(fan["fanLevels"] as? [String] == ["low", "high"])
        #expect(fan["light"] as? [String] == ["on", "dim", "off"])
        #expect((fan["temperatures"] as? [String: Any])?.isEmpty == true)
        #expect(object["firmwareVersion"] as? String == "ELM00119")
        #expect(object["homekitSupported"] as? Bool == false)
        let airPro = try Sample.object(of: try Sample.pod(.airPro))
        #expect((airPro["firmwareVersion"] as? String)?.isEmpty == false)
    }

    @Test("a Pure has the filters, the Pure Boost and the HomeKit of a recorded one before any is set")
    func pureSettings() throws {
        let object = try Sample.object(of: try Sample.pod(.pure))
        let filters = try #require(object["filtersCleaning"] as? [String: Any])
        #expect(filters["filtersCleanSecondsThreshold"] as? Int == 14_256_000)
        let boost = try #require(object["pureBoostConfig"] as? [String: Any])
        #expect(boost["enabled"] as? Bool == false)
        #expect(boost["measurements_integration"] as? Bool == true)
        #expect(boost["ac_integration"] as? Bool == true)
        #expect(boost["pureboost_devices"] as? [String] == [Sample.device.description])
        #expect(object["homekitSupported"] as? Bool == true)
        let sky = try Sample.object(of: try Sample.pod())
        #expect(sky["pureBoostConfig"] is NSNull)
        #expect(
            (sky["filtersCleaning"] as? [String: Any])?["filtersCleanSecondsThreshold"] as? Int == 1_080_000)
    }

    @Test("a window unit has a window remote, and a split unit the fan levels of a recorded one")
    func remotes() throws {
        let window = try Sample.object(of: try Sample.pod(airConditioner: .window))
        #expect((window["remote"] as? [String: Bool]) == ["toggle": false, "window": true])
        let object = try Sample.object(of: try Sample.pod(state: Sample.state(fan: .mediumHigh)))
        #expect((object["acState"] as? [String: Any])?["fanLevel"] as? String == "medium_high")
        let modes = (object["remoteCapabilities"] as? [String: [String: [String: Any]]])?["modes"]
        #expect(
            modes?["cool"]?["fanLevels"] as? [String]
                == ["quiet", "low", "medium", "medium_high", "high", "auto", "strong"])
    }

    @Test(
        "Fahrenheit applies to the state as the remote sends it, and measurements are in Celsius"
    )
    func fahrenheit() throws {
        let object = try Sample.object(
            of: try Sample.pod(state: Sample.state(target: 72, unit: .fahrenheit)))
        #expect(object["temperatureUnit"] as? String == "F")
        let state = try #require(object["acState"] as? [String: Any])
        #expect(state["targetTemperature"] as? Int == 72)
        #expect(state["temperatureUnit"] as? String == "F")
        #expect(state["nativeTargetTemperature"] as? Int == 22)
        #expect(state["nativeTemperatureUnit"] as? String == "C")
        #expect((object["measurements"] as? [String: Any])?["temperature"] as? Double == 21.5)
    }

    @Test("an account's unit is Fahrenheit if every air conditioner is set to it")
    func accountUnit() throws {
        var testReplica = try TestReplica(["Hall", "Attic"])
        #expect(Pod.temperatureUnit(of: testReplica.replica) == .celsius)
        let fahrenheit = Sample.state(target: 72, unit: .fahrenheit)
        testReplica.receive(.reported(TestReplica.device(0), fahrenheit))
        #expect(Pod.temperatureUnit(of: testReplica.replica) == .celsius, "one of them is not")
        testReplica.receive(.reported(TestReplica.device(1), fahrenheit))
        let unit = Pod.temperatureUnit(of: testReplica.replica)
        #expect(unit == .fahrenheit)
        #expect(Pod.temperatureUnit(of: try TestReplica([]).replica) == .celsius)

        let session = Session(
            account: try Sample.account(), email: try Sample.user(), role: .viewer, isOperator: false)
        let result = try Sample.json(.me(session, reading: unit))["result"] as? [String: Any]
        #expect(result?["temperatureUnit"] as? String == "F")
    }

    @Test("a pod has the allowed values of each mode")
    func capabilities() throws {
        let object = try Sample.object(of: try Sample.pod())
        let modes = try #require((object["remoteCapabilities"] as? [String: Any])?["modes"] as? [String: Any])
        #expect(Set(modes.keys) == ["cool", "heat", "fan", "auto", "dry"])
        let cool = try #require(modes["cool"] as? [String: Any])
        let degrees = try #require(cool["temperatures"] as? [String: [String: Any]])
        #expect(degrees["C"]?["values"] as? [Int] == Array(16...30))
        #expect(degrees["C"]?["isNative"] as? Bool == true)
        let fahrenheit = [61, 63, 64, 66, 68, 70, 72, 73, 75, 77, 79, 81, 82, 84, 86]
        #expect(degrees["F"]?["values"] as? [Int] == fahrenheit)
        #expect(degrees["F"]?["isNative"] as? Bool == false)
        #expect(
            cool["fanLevels"] as? [String] == [
                "quiet", "low", "medium", "medium_high", "high", "auto", "strong",
            ])
        #expect(cool["light"] as? [String] == ["on", "off"])
        let fan = try #require(modes["fan"] as? [String: Any])
        #expect((fan["temperatures"] as? [String: Any])?.isEmpty == true)
    }

    @Test(
        "a pod has the capabilities of its air conditioner's remote",
        arguments: [
            (.split, ["cool", "heat", "fan", "auto", "dry"]), (.basic, ["cool", "heat", "fan"]),
            (.window, ["cool", "fan", "dry"]), (.fahrenheit, ["cool", "heat", "fan", "auto", "dry"]),
        ] as [(AirConditionerKind, Set<String>)])
    func airConditioners(kind: AirConditionerKind, names: Set<String>) throws {
        for model in [ProductModel.sky, .airPro] {
            let pod = try Sample.pod(model, airConditioner: kind)
            let capabilities = try Sample.object(of: pod)["remoteCapabilities"] as? [String: Any]
            let modes = try #require(capabilities?["modes"] as? [String: [String: Any]])
            #expect(Set(modes.keys) == names)
            let degrees = try #require(modes["cool"]?["temperatures"] as? [String: [String: Any]])
            #expect(degrees["C"]?["isNative"] as? Bool == (kind != .fahrenheit))
            #expect(degrees["F"]?["isNative"] as? Bool == (kind == .fahrenheit))
        }
    }

    @Test("a state in Celsius has the native degrees of a remote that sends Fahrenheit")
    func nativeFahrenheit() throws {
        func state(_ degrees: Int8, _ unit: TemperatureUnit) throws -> [String: Any] {
            let pod = try Sample.pod(
                state: Sample.state(target: degrees, unit: unit), airConditioner: .fahrenheit)
            return try #require(try Sample.object(of: pod)["acState"] as? [String: Any])
        }
        #expect(try state(22, .celsius)["nativeTargetTemperature"] as? Int == 72)
        #expect(try state(22, .celsius)["nativeTemperatureUnit"] as? String == "F")
        #expect(try state(65, .fahrenheit)["targetTemperature"] as? Int == 65)
        #expect(try state(65, .fahrenheit)["nativeTargetTemperature"] == nil)
    }

    @Test("the display of a Pure can be dimmed")
    func dim() throws {
        let object = try Sample.object(of: try Sample.pod(.pure))
        let capabilities = try #require(object["remoteCapabilities"] as? [String: [String: [String: Any]]])
        #expect(capabilities["modes"]?["fan"]?["light"] as? [String] == ["on", "dim", "off"])
        let body = Sample.body(#"{"newValue":"dim"}"#)
        #expect(
            try CommandReader(of: try Sample.pod(.pure)).property("light", body)
                == .set(ACStateChange(light: .dim)))
    }

    @Test("a Pure rates the air, and has no temperature")
    func pure() throws {
        let object = try Sample.object(of: try Sample.pod(.pure))
        let measured = try #require(object["measurements"] as? [String: Any])
        #expect((1...3).contains(try #require(measured["pm25"] as? Int)))
        #expect(measured["temperature"] == nil)
        #expect(object["firmwareVersion"] as? String == "PUR00111")
    }

    @Test(
        "a pod is alive until its node is lost, and then has the reason",
        arguments: [
            (Presence.Kind.online, nil), (.stale, nil), (.unknown, ["staleConnection"]),
            (.offline(.disconnected), ["disconnected:unexpectedDisconnection"]),
            (.offline(.nodeLeft), ["staleConnection"]),
            (.offline(.nodeLost), ["staleConnection", "disconnected:unexpectedDisconnection"]),
        ] as [(Presence.Kind, [String]?)])
    func presence(kind: Presence.Kind, reasons: [String]?) throws {
        let object = try Sample.object(of: try Sample.pod(presence: kind))
        let status = try #require(object["connectionStatus"] as? [String: Any])
        #expect(status["isAlive"] as? Bool == (reasons == nil))
        #expect(status["deadReasons"] as? [String] == reasons)
        #expect((status["lastSeen"] as? [String: Any])?["secondsAgo"] as? Int == 20)
    }

    @Test("each time has the form that clients parse")
    func moments() throws {
        var settings = DeviceSettings()
        settings.timer = DeviceTimer(
            change: ACStateChange(isOn: false), due: Sample.now.advanced(by: .seconds(600)),
            createdAt: Sample.ago(1_200))
        settings.filter = FilterStatus(
            cleanedAt: Sample.ago(7_200), recordedSeconds: 3_600, recordedAt: Sample.ago(10),
            secondsPerSecond: 1)
        let object = try Sample.object(of: try Sample.pod(settings: settings))
        let measured = try #require(object["measurements"] as? [String: Any])
        #expect((measured["time"] as? [String: Any])?["time"] as? String == "2026-01-31T11:59:41.234000Z")
        let timer = try #require(object["timer"] as? [String: Any])
        #expect(timer["targetTime"] as? String == "2026-01-31T12:10:01")
        #expect(timer["targetTimeSecondsFromNow"] as? Int == 600)
        #expect(timer["createTime"] as? String == "2026-01-31T11:40:01")
        #expect(timer["createTimeSecondsAgo"] as? Int == 1_200)
        #expect(timer["isEnabled"] as? Bool == true)
        let timed = try #require(timer["acState"] as? [String: Any])
        #expect(timed["on"] as? Bool == false)
        #expect(timed["mode"] as? String == "cool")
        #expect(timed["timestamp"] == nil)
        let filters = try #require(object["filtersCleaning"] as? [String: Any])
        #expect(
            (filters["lastFiltersCleanTime"] as? [String: Any])?["time"] as? String == "2026-01-31T10:00:01Z")
        #expect(filters["acOnSecondsSinceLastFiltersClean"] as? Int == 3_610)
        #expect(filters["filtersCleanSecondsThreshold"] as? Int == 1_080_000)
        #expect(filters["shouldCleanFilters"] as? Bool == false)
    }

    @Test("Climate React has whole states, and null on an unused side")
    func climateReact() throws {
        var settings = DeviceSettings()
        settings.climateReact = ClimateReact(
            isEnabled: false, measure: .feelsLike, low: nil,
            high: ClimateReact.Side(tenths: 265, change: ACStateChange(isOn: true, targetTemperature: 20)))
        let pod = try Sample.pod(state: Sample.state(on: false), settings: settings)
        let object = try #require(try Sample.object(of: pod)["smartMode"] as? [String: Any])
        #expect(object["enabled"] as? Bool == false)
        #expect(object["type"] as? String == "feelsLike")
        #expect(object["deviceUid"] as? String == Sample.device.description)
        #expect(object["lowTemperatureThreshold"] is NSNull)
        #expect(object["lowTemperatureState"] is NSNull)
        #expect(object["highTemperatureThreshold"] as? Double == 26.5)
        let state = try #require(object["highTemperatureState"] as? [String: Any])
        #expect(state["on"] as? Bool == true)
        #expect(state["targetTemperature"] as? Int == 20)
        #expect(state["fanLevel"] as? String == "auto")
        #expect(state["timestamp"] == nil)
        #expect(try Sample.result(of: APIResponse.climateReact(of: try Sample.pod())) is NSNull)
    }

    @Test("a pod has its scenario's Climate React, unless its user has set one")
    func scenarioReact() throws {
        let cool = ACStateChange(isOn: true, mode: .cool, targetTemperature: 22)
        let usual = ClimateReact(low: nil, high: ClimateReact.Side(tenths: 240, change: cool))
        func shown(_ settings: DeviceSettings?) throws -> [String: Any] {
            let pod = Pod(
                device: Sample.device, name: "Hall", reported: Sample.state(), asOf: Sample.ago(1),
                presence: Presence(.online, since: Sample.ago(1)),
                group: DeviceGroup(
                    model: .sky, site: "", firmware: "", remote: .discrete, climateReact: usual),
                settings: settings)
            return try #require(try Sample.object(of: pod)["smartMode"] as? [String: Any])
        }
        #expect(try shown(nil)["enabled"] as? Bool == true)
        #expect(try shown(DeviceSettings())["highTemperatureThreshold"] as? Double == 24)
        var settings = DeviceSettings()
        settings.climateReact = ClimateReact(isEnabled: false, low: nil, high: nil)
        #expect(try shown(settings)["enabled"] as? Bool == false)
        #expect(try shown(settings)["highTemperatureThreshold"] is NSNull)
        #expect(try shown(settings)["highTemperatureState"] is NSNull)
    }

    @Test("a pod has its schedules with their next times, and its calibration")
    func plans() throws {
        var settings = DeviceSettings()
        settings.schedules = [try Sample.schedule(ScheduleID(randomBits: 7))]
        settings.calibration = SensorCalibration(deciCelsius: -15, humidityPermille: 20)
        settings.pureBoost = PureBoost(sensitivity: .sensitive, integrations: .prime)
        let object = try Sample.object(of: try Sample.pod(settings: settings))
        let schedules = try #require(object["schedules"] as? [[String: Any]])
        let schedule = try #require(schedules.first)
        #expect(schedule["id"] as? String == ScheduleID(randomBits: 7).description)
        #expect(schedule["name"] is NSNull)
        #expect(schedule["recurringDays"] as? [String] == ["Wednesday", "Sunday"])
        #expect(schedule["targetTimeLocal"] as? String == "17:40")
        #expect(schedule["timezone"] as? String == "Europe/Stockholm")
        #expect(schedule["nextTime"] as? String == "2026-01-31T12:01:31")
        #expect(schedule["createTime"] as? String == "2026-01-31T11:00:01")
        #expect(schedule["podUid"] as? String == Sample.device.description)
        let state = try #require(schedule["acState"] as? [String: Any])
        #expect(state["on"] as? Bool == false)
        #expect((state["extra"] as? [String: [String: Any]])?["scheduler"]?["on"] as? Bool == false)
        #expect(object["sensorsCalibration"] as? [String: Double] == ["temperature": -1.5, "humidity": 2])
        let boost = try #require(object["pureBoostConfig"] as? [String: Any])
        #expect(boost["sensitivity"] as? String == "S")
        #expect(boost["prime_integration"] as? Bool == true)
        #expect(boost["ac_integration"] as? Bool == false)
        #expect((object["room"] as? [String: Any])?["pureBoostConfig"] is [String: Any])
    }

    @Test("each pod has unique addresses and numbers that never change")
    func identity() throws {
        var seen: [String: Set<String>] = [:]
        for index in UInt64(0)..<2_000 {
            let pod = Pod(
                device: DeviceID(fleetSeed: 1, index: index), name: "x", reported: Sample.state(),
                asOf: Sample.now, presence: Presence(.online, since: Sample.now))
            let fields = PodFields(query: "macAddress,serial,qrId")
            let object = try Sample.object(of: pod, fields: fields)
            #expect(
                try Sample.object(of: pod, fields: fields) as? [String: String] == object as? [String: String]
            )
            for (key, value) in object { seen[key, default: []].insert(try #require(value as? String)) }
        }
        for (key, values) in seen { #expect(values.count == 2_000, "\(key) is not unique") }
        let address = try #require(seen["macAddress"]?.min())
        #expect(address.wholeMatch(of: /[0-9A-F][26AE](:[0-9A-F]{2}){5}/) != nil, "\(address)")
        #expect(seen["serial"]?.allSatisfy { $0.wholeMatch(of: /[0-9]{15}/) != nil } == true)
    }

    @Test("a pod's location is that of its site, and sites are apart")
    func location() throws {
        func place(_ site: String) throws -> [String: Any] {
            try #require(try Sample.object(of: try Sample.pod(site: site))["location"] as? [String: Any])
        }
        #expect(try place("North")["name"] as? String == "North")
        #expect(try place("")["name"] as? String == "demo")
        #expect(try place("North")["id"] as? String != place("South")["id"] as? String)
        #expect(try place("North")["id"] as? String == place("North")["id"] as? String)
    }

    @Test("a hostile name stays within its text")
    func hostileName() throws {
        let name = "\"},{\"id\":\"x\n\u{202e}</script>\u{0}\\"
        let object = try Sample.object(of: try Sample.pod(name: name))
        #expect((object["room"] as? [String: Any])?["name"] as? String == name)
    }

    @Test("a time before 1970 is rounded to its second")
    func ancient() throws {
        let pod = Pod(
            device: Sample.device, name: "x", reported: Sample.state(),
            asOf: WallTime(unixMilliseconds: -1), presence: Presence(.online, since: Sample.now))
        let status = try #require(try Sample.object(of: pod)["connectionStatus"] as? [String: Any])
        #expect((status["lastSeen"] as? [String: Any])?["time"] as? String == "1969-12-31T23:59:59.999000Z")
    }
}

@Suite("Fields of a query")
struct PodFieldsTests {
    @Test(
        "the requested fields are returned, and the ID by default",
        arguments: [
            (nil, ["id"]), ("", ["id"]), ("id,room", ["id", "room"]), ("room", ["room"]),
            ("occupancy,acState", ["acState"]), ("nothing", []), ("id, room,", ["id", "room"]),
        ] as [(String?, Set<String>)])
    func lists(query: String?, keys: Set<String>) throws {
        #expect(Set(try Sample.object(of: try Sample.pod(), fields: PodFields(query: query)).keys) == keys)
    }

    @Test("an asterisk requests all fields")
    func all() throws {
        #expect(PodFields(query: "*") == .all)
        #expect(try Sample.object(of: try Sample.pod()).count > 60)
    }
}
