import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The metrics of a fleet")
    struct MetricsTests {
        private static let node = #"account="demo",node="node-1""#
        private static let crowd = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "Clients/metrics_crowd.py").path()
        /// The limit on open files of each process of the fleet: the system's usual limit.
        private static let descriptors = 1_024

        /// The gateway's metrics for Prometheus, line by line.
        private static func metrics(_ lab: Lab) async throws -> [Substring] {
            let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let path = url.hasSuffix("/") ? "metrics" : "/metrics"
            let ended = try await lab.run(
                "/usr/bin/curl", ["--silent", "--fail", "--max-time", "10", url + path])
            return ended.output.split(separator: "\n")
        }

        /// The number in the line of a name and its labels; nil if there is none.
        private static func value(_ name: String, in lines: [Substring]) -> Double? {
            lines.first { $0.hasPrefix("\(name) ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
        }

        /// Waits until a number satisfies a condition.
        private static func awaitMetric(_ name: String, in lab: Lab, _ holds: (Double?) -> Bool) async throws
        {
            var last: Double?
            try await lab.eventually("\(name) has the expected value", within: .seconds(10)) {
                last = value(name, in: try await metrics(lab))
                return holds(last)
            }
            #expect(holds(last), "\(name) \(last.map(String.init(describing:)) ?? "is missing")")
        }

        @Test(
            "three hundred simultaneous scrapers are answered, twice, by the same gateway process",
            .timeLimit(.minutes(2)))
        func crowd() async throws {
            try await Lab.withLab { lab in
                let up = try await lab.run(
                    "/bin/sh",
                    [
                        "-c", "ulimit -n \(Self.descriptors) && exec \"$0\" \"$@\"", lab.executable("fleet"),
                        "up", "--detach", "--json", "--devices", "20", "--gateway-port", "0",
                    ])
                try #require(up.status == 0, "fleet up: \(up.talk)")
                let gateway = try await lab.processID("gateway")
                let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                    .trimmingCharacters(in: .whitespacesAndNewlines)
                for _ in 0..<2 {
                    let ended = try await lab.run("/usr/bin/python3", [Self.crowd, url, "300"])
                    #expect(ended.status == 0, "\(ended.output)\(ended.talk)")
                }
                #expect(try await lab.processID("gateway") == gateway)
                let toggle = try await lab.fleet("toggle", "Bedroom 1")
                #expect(toggle.status == 0, "\(toggle.talk)")
            }
        }

        // On a busy machine a command may be repeated: there are at least three.
        @Test(
            "metrics have each node's counters, which begin at zero after a restart of the node",
            .timeLimit(.minutes(2)))
        func nodes() async throws {
            try await Lab.withFleet(gateway: true, ["--scenario", "quiet"]) { lab in
                for _ in 0..<3 {
                    let toggle = try await lab.fleet("toggle", "Bedroom 1")
                    #expect(toggle.status == 0, "\(toggle.talk)")
                }
                let applied = #"sensibus_node_results_total{\#(Self.node),verdict="applied"}"#
                try await Self.awaitMetric(applied, in: lab) { $0 ?? 0 >= 3 }
                for name in [
                    "sensibus_node_commands_total{\(Self.node)}",
                    "sensibus_node_published_rows_total{\(Self.node)}",
                    "sensibus_node_remembered_entries_total{\(Self.node)}",
                    #"sensibus_node_command_duration_seconds_bucket{\#(Self.node),le="+Inf"}"#,
                    "sensibus_node_command_duration_seconds_count{\(Self.node)}",
                    "sensibus_controller_ended_requests_total",
                ] {
                    try await Self.awaitMetric(name, in: lab) { $0 ?? 0 >= 3 }
                }
                kill(try await lab.processID("node-1"), SIGKILL)
                let commands = "sensibus_node_commands_total{\(Self.node)}"
                try await Self.awaitMetric(commands, in: lab) { $0 == nil }
                let restart = try await lab.fleet("restart", "node-1")
                #expect(restart.status == 0, "\(restart.talk)")
                try await Self.awaitMetric(commands, in: lab) { $0 == 0 }
            }
        }
    }
}
