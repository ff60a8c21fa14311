import FleetProtocol
import Testing
import UserText

@testable import UserFiles

@Suite("Files with pods")
struct PodFileTests {
    private func read(_ text: String) throws -> [PodRecord] {
        try PodFile.parse(Array(text.utf8), file: "dump.json").records
    }

    private static func pod(_ fields: String = "", id: String = "Kt7wPq01") -> String {
        #"{"id":"\#(id)","acState":{"on":true},"remoteCapabilities":null\#(fields)}"#
    }

    @Test(
        "JSON is written as it was read",
        arguments: [
            #"{"b":[1,2.50,-3e2,0.0],"a":{},"":[],"c":[true,false,null]}"#, #""\"\\\n\t ä""#, "[[[[]]]]",
            "-0",
        ])
    func same(text: String) throws {
        let tree = try JSONTree(parsing: Array(" \n\(text)\r\t".utf8))
        #expect(String(decoding: JSONWriter.bytes(of: tree), as: UTF8.self) == text)
    }

    @Test("escapes of strings are read, with surrogate pairs and without a half")
    func escapes() throws {
        let tree = try JSONTree(parsing: Array(#""\u00e4\/\b\ud83d\ude00\ud83d\u0041\udc00""#.utf8))
        #expect(tree == .string("ä/\u{8}😀\u{fffd}A\u{fffd}"))
    }

    @Test(
        "a text that is not JSON has the line of its first error",
        arguments: [
            ("", 1), ("{\n\n}}", 3), ("[1,\n]", 2), ("[01]", 1), ("[1.]", 1), ("[1e]", 1), ("[+1]", 1),
            ("\"a\nb\"", 1),
            ("{\"a\" 1}", 1), ("{1:1}", 1), ("[tru]", 1), ("\"\\x\"", 1), ("\"\\u12\"", 1), ("[1 2]", 1),
            (String(repeating: "[", count: 100_000), 1),
        ])
    func invalid(text: String, line: Int) {
        let error = #expect(throws: JSONTree.Invalid.self) { try JSONTree(parsing: Array(text.utf8)) }
        #expect(error?.line == line)
    }

    @Test("an answer, a list and diagnostics of Home Assistant have the same pods")
    func forms() throws {
        let list = "[\(Self.pod())]"
        let record = try #require(try read(list).first)
        for text in [
            list, #"{"status":"success","result":\#(list)}"#,
            #"{"data":{"raw":{"result":\#(list)},"Kt7wPq01":{}}}"#,
        ] {
            let records = try read(text)
            #expect(records.map(\.id) == ["Kt7wPq01"])
            #expect(records.map(\.pod) == [record.pod] && records.map(\.fields) == [record.fields])
        }
        let redacted = Self.pod(id: "**REDACTED**")
        #expect(try read("[\(redacted),\(redacted)]").map(\.id) == [nil, nil])
    }

    @Test("a pod may have the ID that another one, which is redacted, has in the fleet")
    func sameID() throws {
        let other = DeviceID(fleetSeed: 7, index: 0)
        let list = try read("[\(Self.pod(id: "**REDACTED**")),\(Self.pod(id: other.description))]")
        let records = PodRecords(list, seed: 7)
        #expect(records.device(other.description) == other)
        #expect(records[other]?.id == nil)
    }

    @Test("names are unique, visible and short enough for devices")
    func names() throws {
        let long = String(repeating: "ä", count: 40)
        let rooms = ["Hall", "hall", "", "A\u{202e}ttic", long, long].enumerated().map { place, name in
            Self.pod(#","room":{"name":"\#(name)"}"#, id: "\(place)")
        }
        let names = try read("[\(rooms.joined(separator: ","))]").map(\.pod.name)
        #expect(names.prefix(4) == ["Hall", "hall (2)", "Pod 3", "Attic"])
        #expect(names[4] == String(repeating: "ä", count: 32))
        #expect(names[5] == String(repeating: "ä", count: 27) + " (2)")
        #expect(names.allSatisfy(SafeText.isName))
    }

    @Test("what a pod's remote can do is read, and values that are missing are the first allowed")
    func remote() throws {
        let modes = """
            "cool":{"temperatures":{"F":{"isNative":true,"values":[64,62,63]},"C":{"isNative":false,"values":[17]}},
            "fanLevels":["medium_high","low"],"swing":["both"]},"fan":{"temperatures":{}}
            """
        let text = """
            [{"id":"a","acState":{"on":null,"mode":"cool","swing":null},"temperatureUnit":"F",
            "remoteCapabilities":{"modes":{\(modes)}},"remote":{"toggle":true,"window":false},
            "measurements":{"temperature":19.96,"humidity":61},"connectionStatus":{"isAlive":false},
            "location":{"name":"Lake House"},"firmwareVersion":"SKY30071","productModel":"airq"}]
            """
        let pod = try #require(try read(text).first).pod
        #expect(
            pod.state
                == ACState(
                    isOn: false, mode: .cool, targetTemperature: 72, temperatureUnit: .fahrenheit,
                    fanLevel: .mediumHigh, swing: .both))
        #expect(pod.capabilities.nativeUnit == .fahrenheit)
        #expect(pod.capabilities[.cool]?.temperatures == [.fahrenheit: [62, 63, 64], .celsius: [17]])
        #expect(pod.capabilities[.heat] == nil)
        #expect(pod.capabilities[.fan]?.fanLevels == [])
        #expect((pod.deciCelsius, pod.humidityPermille) == (200, 610))
        #expect(!pod.isOnline)
        #expect(
            pod.group
                == DeviceGroup(
                    model: .airPro, site: "Lake House", firmware: "SKY30071", remote: .toggle,
                    airConditioner: .fahrenheit))
    }

    @Test("settings that the fleet can simulate are read; others are left out")
    func settings() throws {
        let schedule = #""targetTimeLocal":"07:00","timezone":"UTC","acState":{"on":false}"#
        let text = Self.pod(
            """
            ,"smartMode":{"enabled":true,"type":"humidity","highTemperatureThreshold":60.5,
            "highTemperatureState":{"mode":"dry"},"lowTemperatureThreshold":20,"lowTemperatureState":null},
            "timer":{"targetTimeSecondsFromNow":90,"acState":{"on":false}},
            "schedules":[{"id":"31",\(schedule),"recurringDays":[]},{"id":"31",\(schedule),"recurringDays":["Friday"]}],
            "sensorsCalibration":{"temperature":-0.5,"humidity":1},
            "filtersCleaning":{"acOnSecondsSinceLastFiltersClean":7200,"filtersCleanSecondsThreshold":1080000,
            "lastFiltersCleanTime":{"time":"2026-01-02T03:04:05Z","secondsAgo":1},"shouldCleanFilters":false}
            """)
        let record = try #require(try read("[\(text)]").first)
        let settings = record.pod.settings
        #expect(
            settings.climateReact
                == ClimateReact(
                    measure: .humidity, low: nil,
                    high: ClimateReact.Side(tenths: 605, change: ACStateChange(mode: .dry))))
        #expect(record.pod.timer == InitialPod.Timer(change: ACStateChange(isOn: false), seconds: 90))
        #expect(settings.calibration == SensorCalibration(deciCelsius: -5, humidityPermille: 10))
        #expect(settings.filter?.recordedSeconds == 7_200)
        #expect(settings.filter?.cleanedAt == TimeText.moment(ofAPI: "2026-01-02T03:04:05.000999"))
        #expect(settings.schedules.map(\.plan.weekdays) == [Weekdays([.friday])])
        #expect(Array(record.schedules.values) == [1])
    }

    private static let twice = "[\(pod()),\(pod())]"
    private static let many = "[\(String(repeating: "\(pod(id: "**REDACTED**")),", count: 1_000))\(pod())]"

    @Test(
        "a wrong file is refused with the pod, the key and what is allowed",
        arguments: [
            ("<html>", "dump.json:1: found no JSON; allowed: JSON, as Sensibo's API answers"),
            ("[]", "dump.json: found no pods; allowed: the answer to users/me/pods?fields=*"),
            (#"{"status":"success"}"#, "found no pods"),
            (
                #"[{"id":"abc"}]"#,
                "pod 1, acState: found no value; allowed: complete pods: ask for them with fields=*"
            ),
            ("[3]", "pod 1, acState: found no value"),
            (twice, #"pod 2, id: found "Kt7wPq01"; allowed: each ID once"#),
            (many, "found 1,001 pods; allowed: at most 1,000"),
            ("[\(pod(id: "a/b"))]", #"pod 1, id: found "a/b"; allowed: 1 to 32 letters and digits"#),
            (
                #"[{"id":"a","acState":{"mode":"turbo"},"room":{"name":"Hall"}}]"#,
                #"pod 1 (Hall), acState.mode: found "turbo"; allowed: cool, heat, fan, auto, dry"#
            ),
            (
                #"[{"id":"a","acState":{},"remoteCapabilities":{"modes":{"warp":{}}}}]"#,
                #"pod 1, remoteCapabilities.modes.warp: found "warp"; allowed: cool, heat, fan, auto, dry"#
            ),
            (
                #"[{"id":"a","acState":{},"remoteCapabilities":{"modes":{"cool":{"fanLevels":["11"]}}}}]"#,
                #"remoteCapabilities.modes.cool.fanLevels: found "11"; allowed: quiet, low"#
            ),
            (
                #"[{"id":"a","acState":{"targetTemperature":21.5}}]"#,
                "acState.targetTemperature: found 21.5; allowed: whole degrees from -128 to 127"
            ),
        ])
    func wrong(text: String, message: String) throws {
        let error = try #require(throws: InvalidFile.self) { try read(text) }
        #expect(error.description.contains(message), "\(error)")
    }

    @Test("a file of more than 16 MiB, and one with more groups than a node has, are refused")
    func limits() throws {
        let large = [UInt8](repeating: 0x20, count: PodFile.bytesAtMost + 1)
        let error = try #require(throws: InvalidFile.self) { try PodFile.parse(large, file: "dump.json") }
        #expect(error.description == "dump.json: found more than 16 MiB; allowed: 16 MiB at most")
        let pods = (0...Limits.nodeGroups).map { Self.pod(#","firmwareVersion":"\#($0)""#, id: "\($0)") }
        let other = try #require(throws: InvalidFile.self) { try read("[\(pods.joined(separator: ","))]") }
        #expect(other.description.contains("too many groups of model, location, firmware and remote"))
    }
}
