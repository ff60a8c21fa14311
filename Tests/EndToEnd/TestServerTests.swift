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

        @Test("its description has each route, and each route is described")
        func description() async throws {
            try await TestServerUse.withServer { server in
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

/// A test server that runs, and requests to it.
struct TestServerUse {
    struct Ready: Decodable {
        let url: String
        let key: String
        let controlUrl: String
        let controlToken: String
        let runDir: String
        let pid: Int32
    }

    let lab: Lab
    let ready: Ready
    /// The process that has started the server.
    let parent: Int32

    static func withServer(
        _ options: [String] = [], _ body: @escaping @Sendable (TestServerUse) async throws -> Void
    ) async throws {
        try await Lab.withLab { lab in
            let output = try LiveOutput()
            let command = "\"$0\" test-server --json \"$@\" & wait"
            let words = ["-c", command, lab.executable("fleet")] + options
            _ = try await lab.run("/bin/sh", words, output: output.writing) { process in
                defer { kill(process, SIGKILL) }
                var lines = output.lines.makeAsyncIterator()
                let line = try #require(await lines.next())
                let ready = try JSONDecoder().decode(Ready.self, from: Data(line.utf8))
                try await body(TestServerUse(lab: lab, ready: ready, parent: process))
            }
        }
    }

    private func curl(_ words: [String]) async throws -> String {
        let ended = try await lab.run("/usr/bin/curl", ["-sS", "-m", "20"] + words)
        try #require(ended.status == 0, "\(words.last ?? ""): \(ended.talk)")
        return ended.output
    }

    // MARK: Sensibo's API

    func address(_ path: String) -> String {
        "\(ready.url)/api/v2/\(path)\(path.contains("?") ? "&" : "?")apiKey=\(ready.key)"
    }

    func pods(_ path: String) async throws -> [String: Any] {
        try Self.object(await curl(["-f", "--path-as-is", address(path)]))
    }

    @discardableResult
    func pods(_ method: String, _ path: String, _ body: String) async throws -> [String: Any] {
        try Self.object(await curl(["-f", "-X", method, "-d", body, address(path)]))
    }

    func change(_ path: String, _ body: String) async throws { try await pods("PATCH", path, body) }

    func status(_ path: String) async throws -> Int {
        let text = try await curl(["-o", "/dev/null", "-w", "%{http_code}", address(path)])
        return try #require(Int(text))
    }

    // MARK: Control API

    private func request(_ method: String, _ path: String, _ body: String, _ token: String) -> [String] {
        let start = ["-X", method, "-H", "Authorization: Bearer \(token)"]
        return start + (body.isEmpty ? [] : ["-d", body]) + ["\(ready.controlUrl)/\(path)"]
    }

    @discardableResult
    func control(_ method: String, _ path: String, _ body: String = "") async throws -> [String: Any] {
        let text = try await curl(["-f"] + request(method, path, body, ready.controlToken))
        return text.isEmpty ? [:] : try Self.object(text)
    }

    func statusOfControl(
        _ method: String, _ path: String, _ body: String = "", token: String
    ) async throws -> Int {
        let words = request(method, path, body, token)
        return try #require(Int(try await curl(["-o", "/dev/null", "-w", "%{http_code}"] + words)))
    }

    /// A device as it is, by its name.
    func state(_ name: String) async throws -> [String: Any] {
        let devices = try await control("GET", "devices").list("devices")
        return try #require(devices.first { $0["name"] as? String == name })
    }

    // MARK: Commands

    func fleet(_ words: String...) async throws {
        let ended = try await lab.run(lab.executable("fleet"), words + ["--run-dir", ready.runDir])
        try #require(ended.status == 0, "\(words): \(ended.talk)")
    }

    private static func object(_ text: String) throws -> [String: Any] {
        let value = try JSONSerialization.jsonObject(with: Data(text.utf8))
        return try #require(value as? [String: Any])
    }
}

extension [String: Any] {
    func list(_ key: String) -> [[String: Any]] { self[key] as? [[String: Any]] ?? [] }

    /// The value at a path of keys as a text; `null` for none.
    func text(_ keys: String...) -> String {
        var value: Any? = self
        for key in keys { value = (value as? [String: Any])?[key] }
        guard let value, !(value is NSNull) else { return "null" }
        return "\(value)"
    }
}
