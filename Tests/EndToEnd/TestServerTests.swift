import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// `fleet test-server`: Sensibo's API and the control API of one process, as tests in any language use
    /// them.
    @Suite("Test server", .timeLimit(.minutes(1)))
    struct TestServerTests {
        @Test("it answers with its key, and leaves nothing when its parent is killed")
        func parent() async throws {
            try await TestServerUse.withServer(["--devices", "3"]) { server in
                #expect(try await server.pods("users/me/pods?fields=id").list("result").count == 3)
                kill(server.parent, SIGKILL)
                try await server.lab.eventually("the server has ended", within: .seconds(10)) {
                    kill(server.ready.pid, 0) != 0
                        && !FileManager.default.fileExists(atPath: server.ready.runDir)
                }
            }
        }

        @Test("a stop signal during its start ends it, too, and leaves no directory")
        func earlyStop() async throws {
            try await Lab.withLab { lab in
                let script = """
                    "$0" test-server --json & server=$!
                    until set -- "$TMPDIR"/sensibus-test-* && [ -e "$1" ]; do kill -0 $server; done
                    kill $server
                    wait $server
                    """
                let ended = try await lab.run("/bin/sh", ["-ec", script, lab.executable("fleet")])
                #expect(ended.status == 0, "\(ended)")
                let left = try FileManager.default.contentsOfDirectory(atPath: lab.directory)
                #expect(!left.contains { $0.hasPrefix("sensibus-test-") }, "\(left)")
            }
        }

        @Test("commands and the API share its fleet, whatever its clock shows")
        func commands() async throws {
            try await TestServerUse.withServer(["--devices", "2", "--at", "2026-03-29T00:30:00Z"]) { server in
                try await server.fleet("toggle", "Bedroom 1")
                #expect(try await server.state("Bedroom 1")["on"] as? Bool == true)
                try await server.control("PATCH", "clock", #"{"advance":"30h"}"#)
                try await server.fleet("toggle", "Bedroom 1")
                #expect(try await server.state("Bedroom 1")["on"] as? Bool == false)
            }
        }

        @Test("a reset restores states, faults, keys, the clock and the journal")
        func reset() async throws {
            try await TestServerUse.withServer(["--at", "2026-03-29T00:30:00Z"]) { server in
                let before = try await server.pods("pods/VMe9BNPT?fields=acState,timer")
                let changes = try await server.pods("pods/VMe9BNPT/acStates").list("result").count
                try await server.change("pods/VMe9BNPT/acStates/on", #"{"newValue":true}"#)
                try await server.control("POST", "faults", #"{"fault":"cloud-error","for":"1h"}"#)
                try await server.control(
                    "POST", "faults", #"{"fault":"offline","devices":["Living Room 1"],"for":"1h"}"#)
                try await server.fleet("apikey", "revoke", "test")
                try await server.control("PATCH", "clock", #"{"advance":"26h","held":true}"#)
                try await server.control("POST", "reset")
                let clock = try await server.control("GET", "clock")
                #expect(clock["held"] as? Bool == false)
                #expect((clock["time"] as? String)?.hasPrefix("2026-03-29T00:30:") == true)
                #expect(try await server.control("GET", "requests")["total"] as? Int == 0)
                let after = try await server.pods("pods/VMe9BNPT?fields=acState,timer")
                #expect(after.text("result", "acState", "on") == before.text("result", "acState", "on"))
                #expect(try await server.state("Living Room 1")["presence"] as? String == "online")
                let past = try await server.pods("pods/VMe9BNPT/acStates").list("result")
                #expect(past.count == changes, "\(past)")
            }
        }

        @Test("commands reset it while it runs, begin, list and end faults of its cloud, and end it")
        func commandsOfSupervisors() async throws {
            try await TestServerUse.withServer(["--devices", "2"]) { server in
                try await server.fleet("inject", "cloud-error", "--status", "503")
                #expect(try await server.status("users/me/pods") == 503)
                let list = try await server.fleet("inject", "--list", "--json")
                #expect(list.contains(#""met":1"#), "\(list)")
                try await server.fleet("heal")
                #expect(try await server.status("users/me/pods") == 200)
                try await server.fleet("toggle", "Bedroom 1")
                try await server.fleet("inject", "cloud-error", "--status", "503")
                try await server.fleet("reset", "--running")
                #expect(try await server.state("Bedroom 1")["on"] as? Bool == false)
                #expect(try await server.status("users/me/pods") == 200)
                #expect(try await server.fleet("status").contains("test-server"))
                #expect(try await server.fleet("doctor").contains("controller: answers"))
                try await server.fleet("down")
                #expect(!FileManager.default.fileExists(atPath: server.ready.runDir))
            }
        }

        @Test("a timer of three hours fires when they pass, and times of the API follow the clock")
        func timer() async throws {
            try await TestServerUse.withServer { server in
                try await server.change("pods/VMe9BNPT/acStates/on", #"{"newValue":true}"#)
                try await server.control("PATCH", "clock", #"{"held":true}"#)
                try await server.pods(
                    "PUT", "../v1/pods/VMe9BNPT/timer/", #"{"minutesFromNow":180,"acState":{"on":false}}"#)
                try await server.control("PATCH", "clock", #"{"advance":"179m"}"#)
                let left = try await server.pods("pods/VMe9BNPT?fields=timer")
                #expect(left.text("result", "timer", "targetTimeSecondsFromNow") == "60")
                #expect(try await server.state("Bedroom 1")["on"] as? Bool == true)
                try await server.control("PATCH", "clock", #"{"advance":"1m"}"#)
                #expect(try await server.state("Bedroom 1")["on"] as? Bool == false)
                #expect(try await server.pods("pods/VMe9BNPT?fields=timer").text("result", "timer") == "null")
            }
        }

        @Test("a schedule keeps its local time over the beginning and the end of summer time")
        func summerTime() async throws {
            for (start, first, second) in [
                ("2026-03-27T12:00:00Z", "2026-03-28T06:00:00Z", "2026-03-29T05:00:00Z"),
                ("2026-10-23T12:00:00Z", "2026-10-24T05:00:00Z", "2026-10-25T06:00:00Z"),
            ] {
                try await TestServerUse.withServer(["--devices", "1", "--at", start]) { server in
                    try await server.pods(
                        "POST", "../v1/pods/VMe9BNPT/schedules/",
                        #"{"targetTimeLocal":"07:00","timezone":"Europe/Berlin","acState":{"on":true},"#
                            + #""recurOnDaysOfWeek":["saturday","sunday"]}"#)
                    for due in [first, second] {
                        try await server.control("PATCH", "clock", #"{"time":"\#(due)"}"#)
                        #expect(try await server.state("Bedroom 1")["on"] as? Bool == true, "\(due)")
                        try await server.change("pods/VMe9BNPT/acStates/on", #"{"newValue":false}"#)
                        try await server.control("PATCH", "clock", #"{"advance":"2h"}"#)
                        #expect(try await server.state("Bedroom 1")["on"] as? Bool == false, "after \(due)")
                    }
                }
            }
        }

        @Test("the rate limit and its Retry-After follow the clock")
        func rateLimit() async throws {
            try await TestServerUse.withServer { server in
                try await server.control("PATCH", "clock", #"{"held":true}"#)
                try await server.control("POST", "faults", #"{"fault":"cloud-limit","for":"1h"}"#)
                var statuses: [Int] = []
                for _ in 0..<6 { statuses.append(try await server.status("pods/VMe9BNPT")) }
                #expect(statuses == [200, 200, 200, 200, 200, 429])
                try await server.control("PATCH", "clock", #"{"advance":5}"#)
                #expect(try await server.status("pods/VMe9BNPT") == 200)
            }
        }

        @Test("a hand remote and a warm room are seen at once, and Climate React follows")
        func rooms() async throws {
            try await TestServerUse.withServer { server in
                try await server.control(
                    "POST", "devices/Bedroom%201/remote", #"{"acState":{"on":true,"mode":"heat"}}"#)
                #expect(try await server.state("Bedroom 1")["mode"] as? String == "heat")
                try await server.control("POST", "devices/VMe9BNPT/remote")
                #expect(try await server.state("Bedroom 1")["on"] as? Bool == false)
                try await server.pods(
                    "POST", "pods/VMe9BNPT/smartmode",
                    #"{"enabled":true,"type":"temperature","lowTemperatureThreshold":18,"#
                        + #""lowTemperatureState":{"on":false},"highTemperatureThreshold":28,"#
                        + #""highTemperatureState":{"on":true,"mode":"cool","targetTemperature":22}}"#)
                try await server.control("PUT", "devices/VMe9BNPT/room", #"{"temperature":31.5}"#)
                let pod = try await server.pods("pods/VMe9BNPT?fields=measurements,acState")
                #expect(pod.text("result", "measurements", "temperature") == "31.5")
                #expect(pod.text("result", "acState", "mode") == "cool")
            }
        }

        @Test("sensors report people and air as they are set, until a reset")
        func sensors() async throws {
            let options = ["--devices", "20", "--at", "2026-03-29T00:30:00Z", "--held"]
            try await TestServerUse.withServer(options) { server in
                let pods = try await server.pods("users/me/pods?fields=id,motionSensors").list("result")
                func id(withSensor: Bool) throws -> String {
                    let pod = pods.first { ($0["motionSensors"] as? [Any])?.isEmpty == !withSensor }
                    return try #require(pod?["id"] as? String)
                }
                let (able, unable) = (try id(withSensor: true), try id(withSensor: false))
                func occupancy() async throws -> [Bool?] {
                    let answer = try await server.pods("pods/\(able)?fields=*")
                    let pod = try #require(answer["result"] as? [String: Any])
                    let measured = pod["measurements"] as? [String: Any]
                    return [measured?["motion"] as? Bool, pod["roomIsOccupied"] as? Bool]
                }
                let start = try await occupancy()
                for (body, shown) in [
                    (#"{"motion":true}"#, [true, true]), (#"{"motion":false}"#, [false, true]),
                    (#"{"occupied":false}"#, [false, false]), (#"{"motion":true}"#, [true, true]),
                ] {
                    try await server.control("PUT", "devices/\(able)/room", body)
                    #expect(try await occupancy() == shown, "\(body)")
                }
                try await server.control("POST", "reset", #"{"held":true}"#)
                #expect(try await occupancy() == start)
                let refused = try await server.statusOfControl(
                    "PUT", "devices/\(unable)/room", #"{"occupied":true}"#, token: server.ready.controlToken)
                #expect(refused == 400)
            }
        }

        @Test("the journal names the nearest request when none matches")
        func journal() async throws {
            try await TestServerUse.withServer { server in
                try await server.change("pods/VMe9BNPT/acStates/on", #"{"newValue":true}"#)
                let pattern = #"{"method":"PATCH","path":"/api/v2/pods/*/acStates/mode"}"#
                let answer = try await server.control("POST", "requests/matching", pattern)
                #expect(answer["count"] as? Int == 0)
                #expect(answer.text("nearest", "path") == "/api/v2/pods/VMe9BNPT/acStates/on")
                try await server.control("DELETE", "requests")
                #expect(try await server.control("GET", "requests")["total"] as? Int == 0)
            }
        }

        @Test("a connection is reset, an answer cut short, and a page sent in place of JSON, after the work")
        func damage() async throws {
            try await TestServerUse.withServer { server in
                for (fault, status) in [("cloud-reset", [52, 56]), ("cloud-truncated", [18])] {
                    let isOn = try await server.state("Bedroom 1")["on"] as? Bool
                    let path = "/api/v2/pods/*/acStates/on"
                    try await server.control(
                        "POST", "faults", #"{"fault":"\#(fault)","times":1,"path":"\#(path)"}"#)
                    #expect(try await server.status("pods/VMe9BNPT") == 200)
                    let ended = try await server.lab.run(
                        "/usr/bin/curl",
                        [
                            "-sS", "-X", "PATCH", "-d", #"{"newValue":\#(isOn != true)}"#,
                            server.address("pods/VMe9BNPT/acStates/on"),
                        ])
                    #expect(status.contains(Int(ended.status)), "\(fault): \(ended)")
                    #expect(try await server.state("Bedroom 1")["on"] as? Bool != isOn, "\(fault)")
                    try await server.change("pods/VMe9BNPT/acStates/on", #"{"newValue":true}"#)
                }
                try await server.control("POST", "faults", #"{"fault":"cloud-html","only":"reads"}"#)
                let page = try await server.lab.run(
                    "/usr/bin/curl", ["-si", server.address("pods/VMe9BNPT")])
                #expect(page.output.contains("200 OK") && page.output.contains("text/html"), "\(page.output)")
            }
        }

        @Test("a request under way at a reset changes nothing of the next test, and is not in its journal")
        func pending() async throws {
            try await TestServerUse.withServer { server in
                for fault in ["offline", "hang"] {
                    try await server.control(
                        "POST", "faults", #"{"fault":"\#(fault)","devices":["Bedroom 1"],"for":"1h"}"#)
                    async let late = server.lab.run(
                        "/usr/bin/curl",
                        [
                            "-s", "-m", "20", "-X", "PATCH", "-d", #"{"newValue":true}"#,
                            server.address("pods/VMe9BNPT/acStates/on"),
                        ])
                    try await server.lab.eventually("the request has come", within: .seconds(5)) {
                        try await server.control("GET", "requests")["unanswered"] as? Int == 1
                    }
                    try await server.control("POST", "reset")
                    _ = try await late
                    #expect(try await server.state("Bedroom 1")["on"] as? Bool == false, "\(fault)")
                    #expect(try await server.control("GET", "requests")["total"] as? Int == 0, "\(fault)")
                }
            }
        }

        @Test("a reset waits for the time that passes, and then begins at the start")
        func resetWhilePassing() async throws {
            try await TestServerUse.withServer(["--at", "2026-03-29T00:30:00Z", "--held"]) { server in
                async let passing: Void = {
                    _ = try await server.control("PATCH", "clock", #"{"advance":"12h"}"#)
                }()
                try await server.lab.eventually("time passes", within: .seconds(10)) {
                    try await server.control("GET", "clock").text("time") != "2026-03-29T00:30:00.000Z"
                }
                try await server.control("POST", "reset", #"{"held":true}"#)
                #expect(try await server.control("GET", "clock").text("time") == "2026-03-29T00:30:00.000Z")
                try await passing
                #expect(try await server.control("GET", "clock").text("time") == "2026-03-29T00:30:00.000Z")
            }
        }

        @Test("it ends with its parent while time passes")
        func endWhilePassing() async throws {
            try await TestServerUse.withServer(["--held"]) { server in
                let start = try await server.control("GET", "clock").text("time")
                let ready = server.ready
                async let passing = server.lab.run(
                    "/usr/bin/curl",
                    [
                        "-sS", "-m", "20", "-X", "PATCH", "-d", #"{"advance":"744h"}"#, "-H",
                        "Authorization: Bearer \(ready.controlToken)", "\(ready.controlUrl)/clock",
                    ])
                try await server.lab.eventually("time passes", within: .seconds(10)) {
                    try await server.control("GET", "clock").text("time") != start
                }
                kill(server.parent, SIGKILL)
                try await server.lab.eventually("the server has ended", within: .seconds(10)) {
                    kill(ready.pid, 0) != 0
                }
                #expect(try await passing.status != 0, "it has no answer")
            }
        }

        @Test("it works after nine days, at another date, and after the log-out of its commands")
        func dates() async throws {
            try await TestServerUse.withServer(["--devices", "1"]) { server in
                try await server.control("PATCH", "clock", #"{"advance":"216h"}"#)
                try await server.control("POST", "faults", #"{"fault":"flip","devices":["Bedroom 1"]}"#)
                #expect(try await server.state("Bedroom 1")["on"] as? Bool == true)
                for time in ["2001-02-03T04:05:06+01:00", "2099-12-01T00:00:00Z"] {
                    try await server.control("POST", "reset", #"{"time":"\#(time)","held":true}"#)
                    try await server.change("pods/VMe9BNPT/acStates/on", #"{"newValue":true}"#)
                    try await server.fleet("toggle", "Bedroom 1")
                    #expect(try await server.state("Bedroom 1")["on"] as? Bool == false, "\(time)")
                    try await server.fleet("logout")
                }
            }
        }

        @Test("a day at 600 times the speed has every measurement when it has passed")
        func measurements() async throws {
            try await TestServerUse.withServer(["--devices", "5", "--scenario", "office-day", "--held"]) {
                server in
                try await server.control("PATCH", "clock", #"{"advance":"10m"}"#)
                let history = try await server.pods("pods/VMe9BNPT/historicalMeasurements?days=1")
                let values = (history["result"] as? [String: Any])?.list("temperature") ?? []
                #expect((955...962).contains(values.count), "\(values.count) measurements")
            }
        }

        @Test("in lived-in each test begins after a day, with full histories, at the date that it asks for")
        func livedIn() async throws {
            let options = [
                "--scenario", "lived-in", "--devices", "6", "--at", "2026-03-29T00:30:00Z", "--held",
            ]
            try await TestServerUse.withServer(options) { server in
                for _ in 0..<2 {
                    let pods = try await server.pods("users/me/pods?fields=*").list("result")
                    let room = try #require(
                        pods.first { ($0["room"] as? [String: Any])?["name"] as? String == "Living Room" })
                    let id = try #require(room["id"] as? String)
                    let history = try await server.pods("pods/\(id)/historicalMeasurements")
                    let measured = (history["result"] as? [String: Any])?.list("temperature") ?? []
                    #expect((955...961).contains(measured.count))
                    #expect((measured.first?["time"] as? String)?.hasPrefix("2026-03-28T00:3") == true)
                    #expect(try await server.pods("pods/\(id)/events").list("result").count > 2)
                    #expect(room.text("filtersCleaning", "shouldCleanFilters") == "1")
                    #expect(room.list("schedules").count == 2)
                    #expect(try await server.control("GET", "requests").list("requests").count == 3)
                    try await server.control("POST", "reset", #"{"held":true}"#)
                    #expect(
                        try await server.control("GET", "clock").text("time") == "2026-03-29T00:30:00.000Z")
                }
            }
        }

        @Test("the same start and requests give the same answers, in each test")
        func repeated() async throws {
            let options = [
                "--devices", "3", "--scenario", "lively", "--at", "2026-01-15T08:00:00Z", "--held",
            ]
            try await TestServerUse.withServer(options) { server in
                var days: [String] = []
                for _ in 0..<3 {
                    try await server.control("PATCH", "clock", #"{"advance":"2h"}"#)
                    let states = try await server.control("GET", "devices").list("devices").map { device in
                        ["name", "on", "temperature", "humidity", "asOf", "presence", "version"].map {
                            device.text($0)
                        }
                    }
                    let history = try await server.pods("pods/VMe9BNPT/historicalMeasurements?days=1")
                    let values = (history["result"] as? [String: Any])?.list("temperature") ?? []
                    days.append("\(states) \(values.map { $0.text("time") + $0.text("value") })")
                    try await server.control("POST", "reset", #"{"held":true}"#)
                }
                #expect(Set(days).count == 1, "\(days)")
            }
        }

        @Test("a node that crashes is away at once, also with a clock that stands still")
        func crash() async throws {
            try await TestServerUse.withServer(["--devices", "2", "--held"]) { server in
                try await server.control("POST", "faults", #"{"fault":"crash","devices":["Bedroom 1"]}"#)
                #expect(try await server.state("Living Room 1")["presence"] as? String == "offline")
                try await server.control("PATCH", "clock", #"{"advance":6}"#)
                #expect(try await server.state("Living Room 1")["presence"] as? String == "online")
            }
        }

        @Test("a change of the clock that cannot be made as a whole changes nothing")
        func partialChange() async throws {
            try await TestServerUse.withServer { server in
                let status = try await server.statusOfControl(
                    "PATCH", "clock", #"{"held":true,"time":"2020-01-01T00:00:00Z"}"#,
                    token: server.ready.controlToken)
                #expect(status == 400)
                #expect(try await server.control("GET", "clock")["held"] as? Bool == false)
            }
        }

        @Test("it refuses requests without its token, and says what is wrong with others")
        func refusals() async throws {
            try await TestServerUse.withServer { server in
                for token in ["", server.ready.key] {
                    #expect(try await server.statusOfControl("GET", "clock", token: token) == 401)
                }
                for (method, path, body, status) in [
                    ("POST", "faults", #"{"fault":"offline","devices":["Cellar"]}"#, 404),
                    ("DELETE", "faults?device=Cellar", "", 404),
                    ("PUT", "devices/Cellar/room", #"{"temperature":20}"#, 404),
                    ("POST", "devices/VMe9BNPT/remote", #"{"acState":{"mode":"bake"}}"#, 400),
                    ("PATCH", "clock", #"{"time":"2020-01-01T00:00:00Z"}"#, 400),
                    ("PATCH", "clock", "{", 400), ("POST", "reset", #"{"when":1}"#, 400),
                    ("PUT", "scenario", #"{"scenario":"nowhere"}"#, 400), ("GET", "nothing", "", 404),
                ] {
                    let answered = try await server.statusOfControl(
                        method, path, body, token: server.ready.controlToken)
                    #expect(answered == status, "\(method) \(path) \(body)")
                }
            }
        }

        @Test(
            "its documents describe all routes of its control API and of Sensibo's API")
        func description() async throws {
            try await TestServerUse.withServer { server in
                let served = try await server.lab.run(
                    "/usr/bin/curl", ["-sSf", "\(server.ready.url)/openapi.json"])
                let file = Lab.path("../../Sources/gateway/SensiboAPI/openapi.json")
                #expect(try served.output == String(contentsOfFile: file, encoding: .utf8))
                let document = try await server.control("GET", "openapi.json")
                let paths = try #require(document["paths"] as? [String: [String: Any]])
                #expect(paths.count == 10)
                for (path, operations) in paths {
                    let place = path.dropFirst().replacing("{device}", with: "VMe9BNPT")
                    for method in operations.keys {
                        let status = try await server.statusOfControl(
                            method.uppercased(), String(place), "[]", token: server.ready.controlToken)
                        #expect(status != 404 && status < 500, "\(method) \(path): \(status)")
                    }
                }
            }
        }
    }
}
