import Foundation
import Testing

extension EndToEnd {
    @Suite("The contract for scripts", .timeLimit(.minutes(2)))
    struct ContractTests {
        private static let toggle =
            "requestID device outcome state version incarnation attempts latencyUs user"

        /// The first line of an output as an object.
        private static func object(_ text: String) throws -> [String: Any] {
            let line = try #require(text.split(separator: "\n").first, "no output")
            return try #require(
                try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
        }

        /// Expects keys, which are words of a text, in an object, or in the first of several.
        private static func expect(
            _ keys: String, in value: Any?, sourceLocation: SourceLocation = #_sourceLocation
        ) {
            let object = (value as? [Any])?.first ?? value
            let present = Set((object as? [String: Any] ?? [:]).keys)
            let missing = Set(keys.split(separator: " ").map(String.init)).subtracting(present).sorted()
            #expect(missing.isEmpty, "the keys are \(present.sorted())", sourceLocation: sourceLocation)
        }

        @Test("every command of the contract prints its keys and exits with its status")
        func keys() async throws {
            try await Lab.withLab { lab in
                let up = try Self.object(try await lab.up(devices: 4, gateway: true).output)
                Self.expect("runDir controller nodes gateway account email passwordFile", in: up)
                Self.expect("pid", in: up["controller"])
                Self.expect("pid name devices", in: up["nodes"])
                Self.expect("pid url", in: up["gateway"])
                let status = try Self.object(try await lab.fleet("status", "--json").output)
                Self.expect(
                    "devices online stale offline togglesPerSecond epoch processes runDir", in: status)
                Self.expect("scenario uptimeSeconds page account email passwordFile", in: status)
                Self.expect("name pid state", in: status["processes"])
                let device = try Self.object(try await lab.fleet("devices", "--json").output)
                Self.expect("id name on mode targetTemperature presence reason", in: device)
                Self.expect("version incarnation asOf", in: device)
                let observed = try await lab.run(
                    "observer", ["--json", "--until", "device \"Bedroom 1\" online", "--timeout", "10s"])
                #expect(observed.status == 0)
                Self.expect("at kind device name", in: try Self.object(observed.output))
                let load = try await lab.succeed(
                    "load", "--rate", "20", "--duration", "1s", "--warmup", "0s", "--json", "-")
                let report = try Self.object(load.output)
                Self.expect("offeredPerSecond throughputPerSecond durationSeconds", in: report)
                Self.expect("outcomes environment", in: report)
                for times in ["latencyUs", "serviceUs"] {
                    Self.expect("p50 p90 p99 p999 max", in: report[times])
                }
                Self.expect("p99", in: report["testerLateUs"])
            }
        }

        @Test("toggles and cancels print all keys and exit with the documented status, for each outcome")
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
                    Self.expect("requestID result outcome", in: line)
                    #expect(line["result"] as? String == result)
                }
                let id = Lab.requestID()
                try await toggle("--request-id", id, status: 0, outcome: "applied")
                try await toggle("--expect-version", "99", status: 1, outcome: "conflict")
                try await cancel(id, status: 1, result: "tooLate")
                try await cancel(Lab.requestID(), status: 0, result: "cancelled")
                try await lab.succeed("inject", "hang", "Bedroom 1", "--for", "1m")
                try await lateToggle()
                try await lab.succeed("heal")
                try await lab.succeed("inject", "offline", "Bedroom 1", "--for", "1m")
                try await toggle(status: 69, outcome: "offline")
                try await lab.expect(77, "toggle", "Nope")
                try await lab.expect(64, "toggle", "all", "--request-id", id)
                try await lab.expect(64, "restart", "nope")
                try await lab.expect(64, "login", "demo@sensibus.local", "--password-stdin")
                try await lab.succeed("logout")
                try await lab.expect(77, "toggle", "Bedroom 1")
            }
        }
    }
}
