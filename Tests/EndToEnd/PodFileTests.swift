import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// Fleets that begin with the pods of a file. The file has remotes of both units, missing modes, room
    /// sensors, devices of every model, an offline pod, one without a remote, and unknown keys.
    @Suite("Pods of a file", .timeLimit(.minutes(1)))
    struct PodFileTests {
        private static let file = Lab.path("Clients/pods.json")

        /// The paths at which two values differ: `[0].acState.on`. Numbers are compared as values.
        private static func differences(_ one: Any?, _ other: Any?, at path: String = "") -> [String] {
            switch (one, other) {
            case (let one as [String: Any], let other as [String: Any]):
                return Set(one.keys).union(other.keys).sorted().flatMap {
                    differences(one[$0], other[$0], at: "\(path).\($0)")
                }
            case (let one as [Any], let other as [Any]) where one.count == other.count:
                return one.indices.flatMap { differences(one[$0], other[$0], at: "\(path)[\($0)]") }
            default:
                let isSame = (one as? NSObject).map { $0.isEqual(other) } ?? (other == nil)
                return isSame ? [] : [path]
            }
        }

        /// The paths at which served pods differ from the file, without times that move with the clock.
        private static func changes(
            _ served: [[String: Any]], since file: String = file
        ) throws -> Set<String> {
            let text = try Data(contentsOf: URL(filePath: file))
            let known = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
            let moving = [
                "secondsAgo", "SecondsAgo", "SecondsFromNow", "acState.timestamp.time", "lastSeen.time",
                "measurements.time.time", "timer.createTime", "timer.targetTime", "schedules[0].nextTime",
                "acOnSecondsSinceLastFiltersClean",
            ]
            let all = differences(known.list("result"), served)
            #expect(all.count > 20, "the times of pods move")
            return Set(all.filter { path in !moving.contains { path.hasSuffix($0) } })
        }

        @Test("they are served key for key, all together and one by one, until something changes")
        func same() async throws {
            try await TestServerUse.withServer(["--pods", Self.file]) { server in
                let pods = try await server.pods("users/me/pods?fields=*").list("result")
                #expect(try Self.changes(pods) == [])
                var each: [[String: Any]] = []
                for pod in pods {
                    let id = try #require(pod["id"] as? String)
                    let answer = try await server.pods("pods/\(id)?fields=*")
                    each.append(try #require(answer["result"] as? [String: Any]))
                }
                #expect(each.count == 6)
                #expect(try Self.changes(each) == [])
                let some = try await server.pods("pods/Kt7wPq01?fields=brandNewKey,id,unknown")
                #expect((some["result"] as? [String: Any])?.keys.sorted() == ["brandNewKey", "id"])
            }
        }

        @Test("they can be changed within what their remotes can do, fail and recover as all devices")
        func live() async throws {
            try await TestServerUse.withServer(["--pods", Self.file]) { server in
                func changes() async throws -> Set<String> {
                    try Self.changes(try await server.pods("users/me/pods?fields=*").list("result"))
                }
                let hot = try await server.refusal(
                    "pods/Fh98xY2z/acStates/targetTemperature", #"{"newValue":80}"#)
                #expect(hot.contains("target temperature 80 °F: mode cool allows 62 to 76 °F"))
                let cool = try await server.refusal("pods/NoRem0te/acStates/mode", #"{"newValue":"cool"}"#)
                #expect(cool.contains("mode cool: the remote has no code"))
                #expect(try await changes() == [])
                try await server.change("pods/Kt7wPq01/acStates/fanLevel", #"{"newValue":"high"}"#)
                try await server.pods("PUT", "pods/Kt7wPq01/smartmode", #"{"enabled":true}"#)
                try await server.control(
                    "POST", "faults", #"{"fault":"offline","devices":["Attic"],"for":"1h"}"#)
                try await server.control("PUT", "devices/Hall/room", #"{"temperature":30}"#)
                var changed: Set = [
                    "[0].acState.fanLevel", "[0].smartMode.enabled", "[0].lastStateChange.time",
                    "[1].connectionStatus.isAlive", "[1].connectionStatus.deadReasons",
                ]
                #expect(try await changes() == changed)
                // Hall has been offline since before its room became warm.
                try await server.control("DELETE", "faults")
                changed.subtract(["[1].connectionStatus.isAlive", "[1].connectionStatus.deadReasons"])
                changed.formUnion(["[4].connectionStatus.isAlive", "[4].connectionStatus.deadReasons"])
                #expect(try await changes() == changed)
                try await server.control("POST", "reset")
                #expect(try await changes() == [])
            }
        }

        @Test("a sensor in the room becomes as much warmer as its pod")
        func sensors() async throws {
            try await TestServerUse.withServer(["--pods", Self.file, "--held"]) { server in
                try await server.control("PUT", "devices/Living%20room/room", #"{"temperature":25}"#)
                let pod = try await server.pods("pods/Kt7wPq01?fields=*")
                // The pod's calibration is -0.5 °C, and the file has 22.6 and 23.4 °C.
                #expect(pod.text("result", "measurements", "temperature") == "24.5")
                #expect(pod.text("result", "mainMeasurementsSensor", "measurements", "temperature") == "25.3")
            }
        }

        @Test("each schedule of a redacted file can be changed, and the others stay")
        func schedules() async throws {
            let text = try String(contentsOfFile: Self.file, encoding: .utf8)
            let pods = try #require(
                try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any]
            ).list("result")
            var pod = try #require(pods.first)
            var schedules = pod.list("schedules")
            #expect(schedules.count == 2)
            schedules.append(schedules[0])
            // The fleet cannot simulate a schedule without days.
            schedules[2]["recurringDays"] = [String]()
            for place in schedules.indices { schedules[place]["id"] = "**REDACTED**" }
            (pod["schedules"], pod["id"]) = (schedules, "**REDACTED**")
            let data = try JSONSerialization.data(withJSONObject: ["data": ["raw": ["result": [pod]]]])
            try await Lab.withLab { lab in
                let file = try lab.write(String(decoding: data, as: UTF8.self), to: "redacted.json")
                try await TestServerUse.withServer(["--pods", file]) { server in
                    let all = "users/me/pods?fields=*"
                    let served = try #require(try await server.pods(all).list("result").first)
                    let (id, list) = (served.text("id"), served.list("schedules"))
                    try #require(list.count == 3)
                    try await server.change("pods/\(id)/acStates/on", #"{"newValue":true}"#)
                    let path = "../v1/pods/\(id)/schedules/\(list[0].text("id"))/"
                    try await server.pods("PUT", path, #"{"isEnabled":false}"#)
                    let changed = try await server.pods(all).list("result").first?.list("schedules") ?? []
                    #expect(changed.map { $0.text("id") } == list.map { $0.text("id") })
                    #expect(changed[0].text("isEnabled") == "0")
                }
            }
        }

        @Test("a test sets the values that the sensors of a file report")
        func room() async throws {
            try await TestServerUse.withServer(["--pods", Self.file, "--held"]) { server in
                func changes() async throws -> Set<String> {
                    try Self.changes(try await server.pods("users/me/pods?fields=*").list("result"))
                }
                let nursery = try await server.state("Nursery").text("id")
                #expect(nursery == "Gn00Aq5r")
                try await server.control("PUT", "devices/\(nursery)/room", #"{"co2":1500,"tvoc":700}"#)
                try await server.control("PUT", "devices/Living%20room/room", #"{"motion":false}"#)
                let refused = try await server.statusOfControl(
                    "PUT", "devices/Attic/room", #"{"co2":1500}"#, token: server.ready.controlToken)
                #expect(refused == 400)
                #expect(
                    try await changes() == [
                        "[0].measurements.motion", "[0].motionSensors[0].measurements.motion",
                        "[0].mainMeasurementsSensor.measurements.motion", "[2].measurements.co2",
                        "[2].measurements.tvoc", "[2].measurements.iaq",
                    ])
                let air = try await server.pods("pods/Gn00Aq5r?fields=measurements")
                #expect(air.text("result", "measurements", "co2") == "1500")
                try await server.control("POST", "reset")
                #expect(try await changes() == [])
            }
        }

        @Test(
            "the pods of a running fleet are written to a file, with which a fleet begins in the same state")
        func roundTrip() async throws {
            try await Lab.withLab { lab in
                try await lab.up(devices: 6, ["--pods", Self.file, "--nodes", "2"])
                try await lab.succeed("toggle", "Attic")
                try await lab.succeed("pods", "export", "--output", "copy.json")
                try await lab.succeed("down")
                let copy = "\(lab.directory)/copy.json"
                let changed = try Self.changes(try Self.pods(copy))
                #expect(changed.contains("[1].acState.on"))
                #expect(changed.allSatisfy { $0.hasPrefix("[1].acState.") || $0.hasPrefix("[1].lastState") })
                try await TestServerUse.withServer(["--pods", copy]) { server in
                    let pods = try await server.pods("users/me/pods?fields=*").list("result")
                    #expect(try Self.changes(pods, since: copy) == [])
                }
            }
        }

        private static func pods(_ file: String) throws -> [[String: Any]] {
            let value = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(filePath: file)))
            return try #require(value as? [String: Any]).list("result")
        }

        @Test("nothing is started with a file that is wrong")
        func wrong() async throws {
            try await Lab.withLab { lab in
                let file = try lab.write(#"[{"id":"a","acState":{"mode":"turbo"}}]"#, to: "wrong.json")
                for words in [["up", "--detach"], ["test-server"]] {
                    let ended = try await lab.run(lab.executable("fleet"), words + ["--pods", file])
                    #expect(ended.status == 64)
                    #expect(ended.talk.contains("pod 1, acState.mode: found \"turbo\"; allowed: cool, heat"))
                }
            }
        }
    }
}
