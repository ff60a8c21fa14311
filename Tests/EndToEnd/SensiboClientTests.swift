import Foundation
import Testing

extension EndToEnd {
    @Suite("Programs for Sensibo's cloud")
    struct SensiboClientTests {
        private static let clients = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Clients")
        /// The directory that `Tests/EndToEnd/Clients/install` creates.
        private static let python = clients.appending(path: "../../../.build/clients/bin/python").path()

        /// A fleet with a gateway, whose pods have all measured after 1.5 s.
        ///
        /// - Parameter more: Further lines of its scenario.
        private static func withFleet(
            _ more: String = "", _ body: (Lab) async throws -> Void
        ) async throws {
            try await Lab.withLab { lab in
                let scenario = "\(lab.directory)/fast.yaml"
                try "clock: { speed: 60 }\n\(more)".write(toFile: scenario, atomically: true, encoding: .utf8)
                let up = try await lab.fleet(
                    "up", "--detach", "--json", "--devices", "20", "--gateway-port", "0", "--scenario",
                    scenario)
                try #require(up.status == 0, "fleet up: \(up.talk)")
                try await body(lab)
            }
        }

        /// Runs a client's program with the gateway's address, a key and the ID of a device.
        private func run(
            _ program: String, _ script: String, with device: DeviceLine, more: [String] = [],
            input: String = "", in lab: Lab
        ) async throws -> Lab.Ended {
            let key = try await lab.fleet("apikey", "create", "client-\(script.prefix(8))")
            try #require(key.status == 0, "\(key.talk)")
            let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
            return try await lab.run(
                program,
                [Self.clients.appending(path: script).path()]
                    + [url, key.output, device.id].map { $0.trimmingCharacters(in: .newlines) } + more,
                input: input)
        }

        @Test(
            "pysensibo reads, switches and schedules, and gets the reason of a refusal",
            .timeLimit(.minutes(2)))
        func pysensibo() async throws {
            try #require(
                FileManager.default.isExecutableFile(atPath: Self.python),
                "pysensibo is not installed: run Tests/EndToEnd/Clients/install")
            try await Self.withFleet { lab in
                let before = try await lab.device("Bedroom 1")
                let ended = try await run(
                    Self.python, "pysensibo_client.py", with: before, in: lab)
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.split(separator: "\n").count > 40, "\(ended.output)")
                let after = try await lab.device("Bedroom 1")
                #expect(!after.on)
                #expect(after.version >= before.version + 8)
            }
        }

        @Test(
            "pysensibo reads pods of every model and air conditioner, and sets Pure Boost",
            .timeLimit(.minutes(2)))
        func models() async throws {
            try #require(
                FileManager.default.isExecutableFile(atPath: Self.python),
                "pysensibo is not installed: run Tests/EndToEnd/Clients/install")
            let population = """
                population:
                  - { count: 3, model: airq, rooms: [Office] }
                  - { count: 3, model: pure, rooms: [Hall] }
                  - { count: 3, model: elements, rooms: [Attic] }
                  - { count: 1, air-conditioner: basic, rooms: [Kitchen] }
                  - { count: 1, air-conditioner: window, rooms: [Workshop] }
                  - { count: 1, air-conditioner: fahrenheit, rooms: [Terrace] }
                  - { share: 1 }
                """
            try await Self.withFleet(population) { lab in
                let device = try #require(try await lab.devices().first)
                let ended = try await run(Self.python, "pysensibo_models.py", with: device, in: lab)
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.hasSuffix("elements: is switched\n"), "\(ended.output)")
            }
        }

        @Test("calls of published clients get the answers that these need", .timeLimit(.minutes(2)))
        func publishedCalls() async throws {
            let population = """
                population:
                  - { count: 1, rooms: [Cellar], climate-react: { low: 5, high: 40 } }
                  - { count: 1, model: pure, rooms: [Porch] }
                  - { share: 1, rooms: [Hall] }
                """
            try await Self.withFleet(population) { lab in
                let ended = try await run(
                    "/usr/bin/python3", "published_calls.py", with: try await lab.device("Hall"),
                    more: [lab.executable("fleet")], in: lab)
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.hasSuffix("all calls succeeded\n"), "\(ended.output)")
            }
        }

        @Test("pysensibo handles each cloud fault as it handles Sensibo's", .timeLimit(.minutes(4)))
        func faults() async throws {
            try #require(
                FileManager.default.isExecutableFile(atPath: Self.python),
                "pysensibo is not installed: run Tests/EndToEnd/Clients/install")
            try await Self.withFleet { lab in
                let device = try await lab.device("Bedroom 1")
                let ended = try await run(
                    Self.python, "pysensibo_faults.py", with: device, more: [lab.executable("fleet")], in: lab
                )
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.hasSuffix("nothing is left\n"), "\(ended.output)")
            }
        }

        @Test(
            "cloud faults survive a restart of the gateway, and a scenario's apply at their times",
            .timeLimit(.minutes(3)))
        func restarted() async throws {
            try await Self.withFleet { lab in
                let injected = try await lab.fleet("inject", "cloud-error", "--for", "10m")
                #expect(injected.status == 0, "\(injected.talk)")
                #expect(injected.output == "cloud-error: status 500, all requests, for 10m\n")
                let restarted = try await lab.fleet("restart", "gateway")
                #expect(restarted.status == 0, "\(restarted.talk)")
                try await eventually(lab, "sensibus_cloud_faults{fault=\"error\"} 1")
                let healed = try await lab.fleet("heal", "--json")
                #expect(healed.output.contains("\"cloudFaults\":1"), "\(healed.output)")
                try await eventually(lab, "sensibus_cloud_faults{fault=\"error\"} 0")
                let changed = try await lab.fleet("scenario", "cloudy")
                #expect(changed.status == 0, "\(changed.talk)")
                try await eventually(lab, "sensibus_cloud_faults{fault=\"slow\"} 1")
                #expect(try await lab.fleet("inject", "--list").output.contains("answers delayed by 10s, 2"))
            }
        }

        @Test("a gateway that starts later lists a pod's earlier changes", .timeLimit(.minutes(2)))
        func pastChanges() async throws {
            try await Lab.withFleet(gateway: true, ["--scenario", "quiet"]) { lab in
                let device = try await lab.device("Bedroom 1")
                for power in ["--on", "--off", "--off"] {
                    let set = try await lab.fleet("set", "Bedroom 1", power)
                    #expect(set.status == 0, "\(set.talk)")
                }
                let key = try await lab.fleet("apikey", "create", "past")
                #expect(try await lab.fleet("restart", "gateway").status == 0)
                try await lab.eventually("the changes are listed", within: .seconds(20)) {
                    let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                        .trimmingCharacters(in: .newlines)
                    let query = "apiKey=\(key.output.trimmingCharacters(in: .newlines))"
                    let answer = try await lab.run(
                        "/usr/bin/curl",
                        [
                            "--silent", "--max-time", "10",
                            "\(url)api/v2/pods/\(device.id)/acStates?fields=changedProperties&\(query)",
                        ])
                    let changed = #"{"changedProperties":["on"]}"#
                    return answer.output.contains(#"[{"changedProperties":[]},\#(changed),"#)
                }
            }
        }

        /// Waits until the gateway's metrics have that line.
        private func eventually(_ lab: Lab, _ line: String) async throws {
            try await lab.eventually("\(line)", within: .seconds(10)) {
                let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                    .trimmingCharacters(in: .newlines)
                let metrics = try await lab.run(
                    "/usr/bin/curl", ["--silent", "--max-time", "2", url + "metrics"])
                return metrics.output.contains(line + "\n")
            }
        }

        @Test(
            "a change of an offline pod is applied when it returns, and otherwise fails in the end",
            .timeLimit(.minutes(2)))
        func offline() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let device = try await lab.device("Bedroom 1")
                let key = try await lab.fleet("apikey", "create", "offline")
                let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                    .trimmingCharacters(in: .newlines)
                func toggle(offlineFor span: String) async throws -> (output: String, took: Duration) {
                    let injected = try await lab.fleet("inject", "offline", "Bedroom 1", "--for", span)
                    #expect(injected.status == 0, "\(injected.talk)")
                    let clock = ContinuousClock()
                    let start = clock.now
                    let query = "apiKey=\(key.output.trimmingCharacters(in: .newlines))"
                    let answer = try await lab.run(
                        "/usr/bin/curl",
                        [
                            "--silent", "--max-time", "30", "-X", "PATCH", "--data",
                            #"{"newValue":\#(!device.on)}"#,
                            "\(url)api/v2/pods/\(device.id)/acStates/on?\(query)",
                        ])
                    return (answer.output, clock.now - start)
                }
                let failed = try await toggle(offlineFor: "10m")
                #expect(failed.output.contains(#""status":"Failed""#), "\(failed.output)")
                #expect(failed.output.contains(#""failureReason":"Timeout""#), "\(failed.output)")
                #expect(failed.took >= .seconds(4.9))
                #expect(try await lab.device("Bedroom 1").version == device.version)
                #expect(try await lab.fleet("heal", "Bedroom 1").status == 0)
                let switched = try await toggle(offlineFor: "1.5s")
                #expect(switched.output.contains(#""status":"Success""#), "\(switched.output)")
                #expect(try await lab.device("Bedroom 1").version == device.version + 1)
            }
        }

        @Test(
            "a change with an idempotency key is made once, and its result can be queried again",
            .timeLimit(.minutes(2)))
        func keys() async throws {
            try await Lab.withFleet(gateway: true, ["--scenario", "quiet"]) { lab in
                let ended = try await run(
                    "/usr/bin/python3", "idempotency_keys.py", with: try await lab.device("Bedroom 1"),
                    more: [lab.executable("fleet"), lab.file("")], in: lab)
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.hasSuffix("and known again\n"), "\(ended.output)")
            }
        }

        @Test("the documented examples of curl answer as documented", .timeLimit(.minutes(2)))
        func curl() async throws {
            try await Self.withFleet { lab in
                let device = try await lab.device("Bedroom 1")
                let password = try String(contentsOfFile: lab.file("demo-password"), encoding: .utf8)
                let ended = try await run(
                    "/bin/sh", "curl_examples", with: device,
                    input: password.trimmingCharacters(in: .newlines), in: lab)
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(try await lab.device("Bedroom 1").on)
                // The credentials in its output: the key, the password, and the password's token.
                let reported = ended.output.split(separator: "\n").filter { $0.hasPrefix("secret ") }
                try #require(reported.count == 3, "\(ended.output)")
                let logs = try lab.logs()
                #expect(logs.contains("serving"))
                #expect(logs.contains("change requested caller=demo@sensibus.local method=P"))
                #expect(logs.contains("request refused caller="))
                for secret in reported { #expect(!logs.contains(secret.dropFirst("secret ".count))) }
            }
        }

        @Test(
            "peers that send no valid request are disconnected, and other clients are not affected",
            .timeLimit(.minutes(2)))
        func noRequests() async throws {
            try await Lab.withFleet(gateway: false) { lab in
                let ended = try await lab.run(
                    "/usr/bin/python3",
                    [
                        Self.clients.appending(path: "no_requests.py").path(), lab.executable("gateway"),
                        lab.file(""),
                    ])
                #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                #expect(ended.output.contains("ends well among 50 that drip"), "\(ended.output)")
            }
        }
    }
}
