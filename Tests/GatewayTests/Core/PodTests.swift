import FleetProtocol
import Foundation
import GatewayCore
import ReplicaTestSupport
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
            #expect(member(object, "room", "name") is String)
            #expect(member(object, "acState", "timestamp") is [String: Any])
            #expect(member(object, "location", "occupancy") is String)
        }
    }

    @Test("a Sky has the names of Sensibo's API")
    func sky() throws {
        let pod = try Sample.pod(remote: .toggle, changes: Pod.ChangeTimes(last: Sample.ago(90)))
        try expect(
            pod,
            has: """
                {"id": "\(pod.device)", "productModel": "skyv2", "firmwareVersion": "SKY30046",
                 "currentlyAvailableFirmwareVersion": "SKY30046", "temperatureUnit": "C",
                 "remote": {"toggle": true, "window": false},
                 "acState": {"on": true, "mode": "cool", "targetTemperature": 22, "light": "on",
                             "timestamp": {"secondsAgo": 90}},
                 "measurements": {"temperature": 21.5, "humidity": 45.7, "feelsLike": 21.6, "rssi": -61}}
                """)
        #expect(
            keys(try Sample.object(of: pod), "acState") == [
                "timestamp", "on", "mode", "targetTemperature", "temperatureUnit", "fanLevel", "swing",
                "horizontalSwing", "light",
            ])
    }

    @Test("a pod's state has the properties of its mode")
    func modes() throws {
        let fan = try Sample.object(of: try Sample.pod(state: Sample.state(mode: .fan)))
        #expect(keys(fan, "acState").isDisjoint(with: ["targetTemperature", "temperatureUnit"]))
        try expect(fan, has: #"{"acState": {"swing": "stopped"}}"#)
    }

    @Test("an Elements has the state, the capabilities and the firmware of a recorded one")
    func elements() throws {
        let object = try Sample.object(
            of: try Sample.pod(.elements, state: Sample.state(mode: .fan, fan: .high)))
        #expect(keys(object, "acState") == ["timestamp", "on", "mode", "fanLevel", "light"])
        #expect(keys(object, "remoteCapabilities", "modes") == ["fan"])
        #expect(keys(object, "remoteCapabilities", "modes", "fan", "temperatures").isEmpty)
        try expect(
            object,
            has: """
                {"acState": {"mode": "fan"}, "firmwareVersion": "ELM00119", "homekitSupported": false,
                 "remoteCapabilities": {"modes": {"fan": {
                   "fanLevels": ["low", "high"], "light": ["on", "dim", "off"], "temperatures": {}}}}}
                """)
        let airPro = try Sample.object(of: try Sample.pod(.airPro))
        #expect((airPro["firmwareVersion"] as? String)?.isEmpty == false)
    }

    @Test("a Pure has the filters, the Pure Boost and the HomeKit of a recorded one before any is set")
    func pureSettings() throws {
        try expect(
            Sample.pod(.pure),
            has: """
                {"filtersCleaning": {"filtersCleanSecondsThreshold": 14256000}, "homekitSupported": true,
                 "pureBoostConfig": {"enabled": false, "measurements_integration": true,
                                     "ac_integration": true, "pureboost_devices": ["\(Sample.device)"]}}
                """)
        try expect(
            Sample.pod(),
            has: #"{"pureBoostConfig": null, "filtersCleaning": {"filtersCleanSecondsThreshold": 1080000}}"#)
    }

    @Test("a window unit has a window remote, and a split unit the fan levels of a recorded one")
    func remotes() throws {
        try expect(
            Sample.pod(airConditioner: .window), has: #"{"remote": {"toggle": false, "window": true}}"#)
        try expect(
            Sample.pod(state: Sample.state(fan: .mediumHigh)),
            has: """
                {"acState": {"fanLevel": "medium_high"}, "remoteCapabilities": {"modes": {"cool": {
                   "fanLevels": ["quiet", "low", "medium", "medium_high", "high", "auto", "strong"]}}}}
                """)
    }

    @Test("Fahrenheit applies to the state as the remote sends it, and measurements are in Celsius")
    func fahrenheit() throws {
        try expect(
            Sample.pod(state: Sample.state(target: 72, unit: .fahrenheit)),
            has: """
                {"temperatureUnit": "F", "measurements": {"temperature": 21.5},
                 "acState": {"targetTemperature": 72, "temperatureUnit": "F",
                             "nativeTargetTemperature": 22, "nativeTemperatureUnit": "C"}}
                """)
    }

    @Test("an account's unit is Fahrenheit if every air conditioner is set to it")
    func accountUnit() throws {
        var driver = try ReplicaDriver.whole(names: ["Hall", "Attic"])
        #expect(Pod.temperatureUnit(of: driver.replica) == .celsius)
        let fahrenheit = Sample.state(target: 72, unit: .fahrenheit)
        driver.receive(.reported(Fixture.device(0), fahrenheit))
        #expect(Pod.temperatureUnit(of: driver.replica) == .celsius, "one of them is not")
        driver.receive(.reported(Fixture.device(1), fahrenheit))
        let unit = Pod.temperatureUnit(of: driver.replica)
        #expect(unit == .fahrenheit)
        #expect(Pod.temperatureUnit(of: try ReplicaDriver.whole([]).replica) == .celsius)

        let session = Session(
            account: try Sample.account(), email: try Sample.user(), role: .viewer, isOperator: false)
        try expect(Sample.json(.me(session, reading: unit)), has: #"{"result": {"temperatureUnit": "F"}}"#)
    }

    @Test("a pod has the allowed values of each mode")
    func capabilities() throws {
        let object = try Sample.object(of: try Sample.pod())
        #expect(keys(object, "remoteCapabilities", "modes") == ["cool", "heat", "fan", "auto", "dry"])
        #expect(keys(object, "remoteCapabilities", "modes", "fan", "temperatures").isEmpty)
        try expect(
            object,
            has: """
                {"remoteCapabilities": {"modes": {"fan": {"temperatures": {}}, "cool": {
                   "temperatures": {
                     "C": {"values": \(Array(16...30)), "isNative": true},
                     "F": {"values": [61, 63, 64, 66, 68, 70, 72, 73, 75, 77, 79, 81, 82, 84, 86],
                           "isNative": false}},
                   "fanLevels": ["quiet", "low", "medium", "medium_high", "high", "auto", "strong"],
                   "light": ["on", "off"]}}}}
                """)
    }

    @Test(
        "a pod has the capabilities of its air conditioner's remote",
        arguments: [
            (.split, ["cool", "heat", "fan", "auto", "dry"]), (.basic, ["cool", "heat", "fan"]),
            (.window, ["cool", "fan", "dry"]), (.fahrenheit, ["cool", "heat", "fan", "auto", "dry"]),
        ] as [(AirConditionerKind, Set<String>)])
    func airConditioners(kind: AirConditionerKind, names: Set<String>) throws {
        for model in [ProductModel.sky, .airPro] {
            let object = try Sample.object(of: try Sample.pod(model, airConditioner: kind))
            #expect(keys(object, "remoteCapabilities", "modes") == names)
            try expect(
                member(object, "remoteCapabilities", "modes", "cool", "temperatures"),
                has: """
                    {"C": {"isNative": \(kind != .fahrenheit)}, "F": {"isNative": \(kind == .fahrenheit)}}
                    """)
        }
    }

    @Test("a state in Celsius has the native degrees of a remote that sends Fahrenheit")
    func nativeFahrenheit() throws {
        func state(_ degrees: Int8, _ unit: TemperatureUnit) throws -> Any? {
            let state = Sample.state(target: degrees, unit: unit)
            return try Sample.object(of: try Sample.pod(state: state, airConditioner: .fahrenheit))["acState"]
        }
        try expect(
            state(22, .celsius), has: #"{"nativeTargetTemperature": 72, "nativeTemperatureUnit": "F"}"#)
        try expect(state(65, .fahrenheit), has: #"{"targetTemperature": 65}"#)
        #expect(member(try state(65, .fahrenheit), "nativeTargetTemperature") == nil)
    }

    @Test("the display of a Pure can be dimmed")
    func dim() throws {
        let pure = try Sample.pod(.pure)
        try expect(pure, has: #"{"remoteCapabilities": {"modes": {"fan": {"light": ["on", "dim", "off"]}}}}"#)
        let body = Sample.body(#"{"newValue":"dim"}"#)
        #expect(try CommandReader(of: pure).property("light", body) == .set(ACStateChange(light: .dim)))
    }

    @Test("a Pure rates the air, and has no temperature")
    func pure() throws {
        let object = try Sample.object(of: try Sample.pod(.pure))
        #expect((1...3).contains(try #require(member(object, "measurements", "pm25") as? Int)))
        #expect(member(object, "measurements", "temperature") == nil)
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
        let status = try Sample.object(of: try Sample.pod(presence: kind))["connectionStatus"]
        try expect(status, has: #"{"isAlive": \#(reasons == nil), "lastSeen": {"secondsAgo": 20}}"#)
        #expect(member(status, "deadReasons") as? [String] == reasons)
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
        let pod = try Sample.pod(settings: settings)
        try expect(
            pod,
            has: """
                {"measurements": {"time": {"time": "2026-01-31T11:59:41.234000Z"}},
                 "timer": {"targetTime": "2026-01-31T12:10:01", "targetTimeSecondsFromNow": 600,
                           "createTime": "2026-01-31T11:40:01", "createTimeSecondsAgo": 1200,
                           "isEnabled": true, "acState": {"on": false, "mode": "cool"}},
                 "filtersCleaning": {"lastFiltersCleanTime": {"time": "2026-01-31T10:00:01Z"},
                                     "acOnSecondsSinceLastFiltersClean": 3610,
                                     "filtersCleanSecondsThreshold": 1080000, "shouldCleanFilters": false}}
                """)
        #expect(member(try Sample.object(of: pod), "timer", "acState", "timestamp") == nil)
    }

    @Test("Climate React has whole states, and null on an unused side")
    func climateReact() throws {
        var settings = DeviceSettings()
        settings.climateReact = ClimateReact(
            isEnabled: false, measure: .feelsLike, low: nil,
            high: ClimateReact.Side(tenths: 265, change: ACStateChange(isOn: true, targetTemperature: 20)))
        let pod = try Sample.pod(state: Sample.state(on: false), settings: settings)
        try expect(
            pod,
            has: """
                {"smartMode": {"enabled": false, "type": "feelsLike", "deviceUid": "\(pod.device)",
                  "lowTemperatureThreshold": null, "lowTemperatureState": null,
                  "highTemperatureThreshold": 26.5,
                  "highTemperatureState": {"on": true, "targetTemperature": 20, "fanLevel": "auto"}}}
                """)
        let object = try Sample.object(of: pod)
        #expect(member(object, "smartMode", "highTemperatureState", "timestamp") == nil)
        let none = APIResponse.climateReact(of: try Sample.pod(), now: Sample.present)
        #expect(try Sample.result(of: none) is NSNull)
    }

    @Test("a pod has its scenario's Climate React, unless its user has set one")
    func scenarioReact() throws {
        let cool = ACStateChange(isOn: true, mode: .cool, targetTemperature: 22)
        let usual = ClimateReact(low: nil, high: ClimateReact.Side(tenths: 240, change: cool))
        func pod(_ settings: DeviceSettings?) -> Pod {
            Pod(
                device: Sample.device, name: "Hall", reported: Sample.state(), asOf: Sample.ago(1),
                presence: Presence(.online, since: Sample.ago(1)),
                group: DeviceGroup(
                    model: .sky, site: "", firmware: "", remote: .discrete, climateReact: usual),
                settings: settings)
        }
        try expect(pod(nil), has: #"{"smartMode": {"enabled": true}}"#)
        try expect(pod(DeviceSettings()), has: #"{"smartMode": {"highTemperatureThreshold": 24}}"#)
        var settings = DeviceSettings()
        settings.climateReact = ClimateReact(isEnabled: false, low: nil, high: nil)
        try expect(
            pod(settings),
            has: """
                {"smartMode": {"enabled": false, "highTemperatureThreshold": null,
                               "highTemperatureState": null}}
                """)
    }

    @Test("a pod has its schedules with their next times, and its calibration")
    func plans() throws {
        var settings = DeviceSettings()
        settings.schedules = [try Sample.schedule(ScheduleID(randomBits: 7))]
        settings.calibration = SensorCalibration(deciCelsius: -15, humidityPermille: 20)
        settings.pureBoost = PureBoost(sensitivity: .sensitive, integrations: .prime)
        let pod = try Sample.pod(settings: settings)
        try expect(
            pod,
            has: """
                {"schedules": [{"id": "\(ScheduleID(randomBits: 7))", "name": null,
                   "recurringDays": ["Wednesday", "Sunday"], "targetTimeLocal": "17:40",
                   "timezone": "Europe/Stockholm", "nextTime": "2026-01-31T12:01:31",
                   "createTime": "2026-01-31T11:00:01", "podUid": "\(pod.device)",
                   "acState": {"on": false, "extra": {"scheduler": {"on": false}}}}],
                 "sensorsCalibration": {"temperature": -1.5, "humidity": 2}, "room": {"pureBoostConfig": {}},
                 "pureBoostConfig": {"sensitivity": "S", "prime_integration": true, "ac_integration": false}}
                """)
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
        func place(_ site: String) throws -> (id: String?, name: String?) {
            let place = try Sample.object(of: try Sample.pod(site: site))["location"]
            return (member(place, "id") as? String, member(place, "name") as? String)
        }
        #expect(try place("North").name == "North")
        #expect(try place("").name == "demo")
        #expect(try place("North").id != place("South").id)
        #expect(try place("North").id == place("North").id)
    }

    @Test("a hostile name stays within its text")
    func hostileName() throws {
        let name = "\"},{\"id\":\"x\n\u{202e}</script>\u{0}\\"
        let object = try Sample.object(of: try Sample.pod(name: name))
        #expect(member(object, "room", "name") as? String == name)
    }

    @Test("a time before 1970 is rounded to its second")
    func ancient() throws {
        let pod = Pod(
            device: Sample.device, name: "x", reported: Sample.state(),
            asOf: WallTime(unixMilliseconds: -1), presence: Presence(.online, since: Sample.now))
        try expect(pod, has: #"{"connectionStatus": {"lastSeen": {"time": "1969-12-31T23:59:59.999000Z"}}}"#)
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
