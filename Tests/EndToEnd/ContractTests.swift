import Foundation
import Testing

extension EndToEnd {
    @Suite("The contract for scripts")
    struct ContractTests {
        private static let toggle = [
            "requestID", "device", "outcome", "state", "version", "incarnation", "attempts", "latencyUs",
            "user",
        ]

        /// The first line of an output as an object.
        private static func object(_ text: String) throws -> [String: Any] {
            let line = try #require(text.split(separator: "\n").first, "no output")
            return try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }

        private static func expect(
            _ keys: [String], in object: Any?, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let present = Set((object as? [String: Any] ?? [:]).keys)
            let missing = Set(keys).subtracting(present).sorted()
            #expect(missing.isEmpty, "the keys are \(present.sorted())", sourceLocation: sourceLocation)
        }

        @Test(
            "every command of the contract prints its keys and exits with its status", .timeLimit(.minutes(2))
        )
        func keys() async throws {
            try await Lab.withLab { lab in
                let up = try Self.object(
                    try await lab.fleet("up", "--detach", "--json", "--devices", "4", "--gateway-port", "0")
                        .output)
                Self.expect(
                    ["runDir", "controller", "nodes", "gateway", "account", "email", "passwordFile"], in: up)
                Self.expect(["pid"], in: up["controller"])
                Self.expect(["pid", "name", "devices"], in: (up["nodes"] as? [Any])?.first)
                Self.expect(["pid", "url"], in: up["gateway"])
                let status = try Self.object(try await lab.fleet("status", "--json").output)
                Self.expect(
                    [
                        "devices", "online", "stale", "offline", "togglesPerSecond", "epoch", "processes",
                        "runDir", "scenario", "uptimeSeconds", "page", "account", "email", "passwordFile",
                    ], in: status)
                Self.expect(["name", "pid", "state"], in: (status["processes"] as? [Any])?.first)
                Self.expect(
                    [
                        "id", "name", "on", "mode", "targetTemperature", "presence", "reason", "version",
                        "incarnation", "asOf",
                    ], in: try Self.object(try await lab.fleet("devices", "--json").output))
                let observed = try await lab.run(
                    "observer", ["--json", "--until", "device \"Bedroom 1\" online", "--timeout", "10s"])
                #expect(observed.status == 0)
                Self.expect(["at", "kind", "device", "name"], in: try Self.object(observed.output))
                let load = try await lab.fleet(
                    "load", "--rate", "20", "--duration", "1s", "--warmup", "0s", "--json", "load.json")
                #expect(load.status == 0, "\(load.talk)")
                let data = try Data(contentsOf: URL(filePath: "\(lab.directory)/load.json"))
                let report = try #require(try JSONSerialization.jsonObject(with: data) as? [String: Any])
                Self.expect(
                    [
                        "offeredPerSecond", "throughputPerSecond", "durationSeconds", "outcomes",
                        "environment",
                    ],
                    in: report)
                Self.expect(["p50", "p90", "p99", "p999", "max"], in: report["latencyUs"])
                Self.expect(["p50", "p90", "p99", "p999", "max"], in: report["serviceUs"])
                Self.expect(["p99"], in: report["testerLateUs"])
            }
        }

        @Test(
            "toggles and cancels print all keys and exit with the documented status, for each outcome",
            .timeLimit(.minutes(2)))
        func requests() async throws {
            try await Lab.withFleet(devices: 4) { lab in
                func toggle(_ arguments: String..., status: Int32, outcome: String) async throws {
                    let ended = try await lab.fleet(["toggle", "Bedroom 1", "--json"] + arguments)
                    #expect(ended.status == status, "\(outcome): \(ended.talk)")
                    let line = try Self.object(ended.output)
                    Self.expect(Self.toggle, in: line)
                    #expect(line["outcome"] as? String == outcome)
                }
                /// The device may still answer that it did nothing.
                func lateToggle() async throws {
                    let ended = try await lab.fleet("toggle", "Bedroom 1", "--json", "--timeout", "300ms")
                    let line = try Self.object(ended.output)
                    Self.expect(Self.toggle, in: line)
                    let statuses: [String: Int32] = ["unknown": 75, "expired": 1]
                    let outcome = try #require(line["outcome"] as? String)
                    #expect(statuses[outcome] == ended.status, "\(outcome)")
                }
                func cancel(_ id: String, status: Int32, result: String) async throws {
                    let ended = try await lab.fleet("cancel", id, "--json")
                    #expect(ended.status == status, "\(result): \(ended.talk)")
                    let line = try Self.object(ended.output)
                    Self.expect(["requestID", "result", "outcome"], in: line)
                    #expect(line["result"] as? String == result)
                }
                let id = Lab.requestID()
                try await toggle("--request-id", id, status: 0, outcome: "applied")
                try await toggle("--expect-version", "99", status: 1, outcome: "conflict")
                try await cancel(id, status: 1, result: "tooLate")
                try await cancel(Lab.requestID(), status: 0, result: "cancelled")
                #expect(try await lab.fleet("inject", "hang", "Bedroom 1", "--for", "1m").status == 0)
                try await lateToggle()
                #expect(try await lab.fleet("heal").status == 0)
                #expect(try await lab.fleet("inject", "offline", "Bedroom 1", "--for", "1m").status == 0)
                try await toggle(status: 69, outcome: "offline")
                #expect(try await lab.fleet("toggle", "Nope").status == 77)
                #expect(try await lab.fleet("toggle", "all", "--request-id", id).status == 64)
                #expect(try await lab.fleet("restart", "nope").status == 64)
                #expect(
                    try await lab.fleet("login", "demo@sensibus.local", "--password-stdin").status == 64)
                #expect(try await lab.fleet("logout").status == 0)
                #expect(try await lab.fleet("toggle", "Bedroom 1").status == 77)
            }
        }
    }
}
