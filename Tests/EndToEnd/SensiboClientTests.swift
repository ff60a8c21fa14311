import Foundation
import Testing

extension EndToEnd {
    @Suite("Programs for Sensibo's cloud", .timeLimit(.minutes(4)))
    struct SensiboClientTests {
        /// The Python that `Tests/EndToEnd/Clients/install` installs, with pysensibo.
        private static let python = Lab.path("../../.build/clients/bin/python")

        /// A fleet with a gateway, whose pods have all measured after 1.5 s.
        ///
        /// - Parameter more: Further lines of its scenario.
        private static func withFleet(_ more: String = "", _ body: (Lab) async throws -> Void) async throws {
            try await Lab.withFleet(gateway: true, scenario: "clock: { speed: 60 }\n\(more)") {
                try await body($0)
            }
        }

        /// Runs a client's program with the gateway's address, a key and the ID of a device; it must succeed.
        private func run(
            _ program: String, _ script: String, with device: DeviceLine, more: [String] = [],
            input: String = "", in lab: Lab
        ) async throws -> String {
            try #require(
                FileManager.default.isExecutableFile(atPath: program),
                "pysensibo is not installed: run Tests/EndToEnd/Clients/install")
            let key = try await lab.apiKey("client-\(script.prefix(8))")
            let ended = try await lab.run(
                program, [Lab.path("Clients/\(script)"), try lab.gatewayURL(), key, device.id] + more,
                input: input)
            #expect(ended.status == 0, "\(script): \(ended.output)\(ended.talk)")
            return ended.output
        }

        @Test("pysensibo reads, switches and schedules, and gets the reason of a refusal")
        func pysensibo() async throws {
            try await Self.withFleet { lab in
                let before = try await lab.device("Bedroom 1")
                let output = try await run(Self.python, "pysensibo_client.py", with: before, in: lab)
                #expect(output.split(separator: "\n").count > 40, "\(output)")
                let after = try await lab.device("Bedroom 1")
                #expect(!after.on && after.version >= before.version + 8)
            }
        }

        @Test("pysensibo reads pods of every model and air conditioner, and sets Pure Boost")
        func models() async throws {
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
                let output = try await run(Self.python, "pysensibo_models.py", with: device, in: lab)
                #expect(output.hasSuffix("elements: is switched\n"), "\(output)")
            }
        }

        @Test("calls of published clients get the answers that these need")
        func publishedCalls() async throws {
            let population = """
                population:
                  - { count: 1, rooms: [Cellar], climate-react: { low: 5, high: 40 } }
                  - { count: 1, model: pure, rooms: [Porch] }
                  - { share: 1, rooms: [Hall] }
                """
            try await Self.withFleet(population) { lab in
                let output = try await run(
                    "/usr/bin/python3", "published_calls.py", with: try await lab.device("Hall"),
                    more: [lab.executable("fleet")], in: lab)
                #expect(output.hasSuffix("all calls succeeded\n"), "\(output)")
            }
        }

        @Test("2,000 requests made from the OpenAPI document are answered as it says")
        func described() async throws {
            try await Lab.withFleet(devices: 15, gateway: true, ["--scenario", "mixed"]) { lab in
                let script = Lab.path("Clients/openapi_requests.py")
                let words = [script, try lab.gatewayURL(), try await lab.apiKey("openapi"), "2000"]
                let ended = try await lab.run(Self.python, words)
                #expect(ended.status == 0, "\(ended.output.suffix(8_000))\(ended.talk)")
                #expect(ended.output.hasSuffix(" answers are as described\n"))
            }
        }

        @Test("pysensibo handles each cloud fault as it handles Sensibo's")
        func faults() async throws {
            try await Self.withFleet { lab in
                let output = try await run(
                    Self.python, "pysensibo_faults.py", with: try await lab.device("Bedroom 1"),
                    more: [lab.executable("fleet")], in: lab)
                #expect(output.hasSuffix("nothing is left\n"), "\(output)")
            }
        }

        @Test("cloud faults survive a restart of the gateway, and a scenario's apply at their times")
        func restarted() async throws {
            try await Self.withFleet { lab in
                func awaitFault(_ name: String, count: Int) async throws {
                    let line = "sensibus_cloud_faults{fault=\"\(name)\"} \(count)\n"
                    try await lab.eventually("\(line)", within: .seconds(10)) {
                        try await lab.curl("metrics").body.contains(line)
                    }
                }
                let injected = try await lab.succeed("inject", "cloud-error", "--for", "10m")
                #expect(injected.output == "cloud-error: status 500, all requests, for 10m\n")
                try await lab.succeed("restart", "gateway")
                try await awaitFault("error", count: 1)
                let healed = try await lab.fleet("heal", "--json")
                #expect(healed.output.contains("\"cloudFaults\":1"), "\(healed.output)")
                try await awaitFault("error", count: 0)
                try await lab.succeed("scenario", "cloudy")
                try await awaitFault("slow", count: 1)
                #expect(try await lab.fleet("inject", "--list").output.contains("answers delayed by 10s, 2"))
            }
        }

        @Test(
            "a change with an idempotency key is made once; a gateway that starts later lists earlier changes"
        )
        func keys() async throws {
            try await Lab.withFleet(gateway: true, ["--scenario", "quiet"]) { lab in
                let device = try await lab.device("Bedroom 2").id
                for power in ["--on", "--off", "--off"] { try await lab.succeed("set", "Bedroom 2", power) }
                let output = try await run(
                    "/usr/bin/python3", "idempotency_keys.py", with: try await lab.device("Bedroom 1"),
                    more: [lab.executable("fleet"), lab.runDirectory], in: lab)
                #expect(output.hasSuffix("and known again\n"), "\(output)")
                let key = try await lab.apiKey("past")
                try await lab.succeed("restart", "gateway")
                let path = "api/v2/pods/\(device)/acStates?fields=changedProperties&apiKey=\(key)"
                let changes = #"[{"changedProperties":[]},{"changedProperties":["on"]},"#
                try await lab.eventually("the changes are listed", within: .seconds(20)) {
                    try await lab.curl(path).body.contains(changes)
                }
            }
        }

        @Test("a change of an offline pod is applied when it returns, and otherwise fails in the end")
        func offline() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                let device = try await lab.device("Bedroom 1")
                let key = try await lab.apiKey("offline")
                func toggle(offlineFor span: String) async throws -> (answer: String, took: Duration) {
                    try await lab.succeed("inject", "offline", "Bedroom 1", "--for", span)
                    let clock = ContinuousClock()
                    let start = clock.now
                    let answer = try await lab.curl(
                        "api/v2/pods/\(device.id)/acStates/on?apiKey=\(key)",
                        ["-X", "PATCH", "--data", #"{"newValue":\#(!device.on)}"#])
                    return (answer.body, clock.now - start)
                }
                let failed = try await toggle(offlineFor: "10m")
                #expect(failed.answer.contains(#""status":"Failed""#), "\(failed.answer)")
                #expect(failed.answer.contains(#""failureReason":"Timeout""#), "\(failed.answer)")
                #expect(failed.took >= .seconds(4.9))
                #expect(try await lab.device("Bedroom 1").version == device.version)
                try await lab.succeed("heal", "Bedroom 1")
                let switched = try await toggle(offlineFor: "1.5s")
                #expect(switched.answer.contains(#""status":"Success""#), "\(switched.answer)")
                #expect(try await lab.device("Bedroom 1").version == device.version + 1)
            }
        }

        @Test("the documented examples of curl answer as documented")
        func curl() async throws {
            try await Self.withFleet { lab in
                let output = try await run(
                    "/bin/sh", "curl_examples", with: try await lab.device("Bedroom 1"),
                    input: try lab.word("demo-password"), in: lab)
                #expect(try await lab.device("Bedroom 1").on)
                // The credentials in its output: the key, the password, and the password's token.
                let reported = output.split(separator: "\n").filter { $0.hasPrefix("secret ") }
                try #require(reported.count == 3, "\(output)")
                let logs = try lab.logs()
                for text in [
                    "serving", "change requested caller=demo@sensibus.local method=P",
                    "request refused caller=",
                ] { #expect(logs.contains(text), "\(text)") }
                for secret in reported { #expect(!logs.contains(secret.dropFirst("secret ".count))) }
            }
        }

        @Test("peers that send no valid request are disconnected, and other clients are not affected")
        func noRequests() async throws {
            try await Lab.withFleet { lab in
                let ended = try await lab.python(
                    "Clients/no_requests.py", lab.executable("gateway"), lab.runDirectory)
                #expect(ended.output.contains("ends well among 50 that drip"), "\(ended.output)")
            }
        }
    }
}
