import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The metrics of a fleet", .timeLimit(.minutes(2)))
    struct MetricsTests {
        private static let node = #"account="demo",node="node-1""#
        /// The limit on open files of each process of the fleet: the system's usual limit.
        private static let descriptors = 1_024

        /// The number in the line of a name and its labels; nil if there is none.
        private static func value(_ name: String, in lines: [Substring]) -> Double? {
            lines.first { $0.hasPrefix("\(name) ") }.flatMap { Double($0.dropFirst(name.count + 1)) }
        }

        /// Waits until a number satisfies a condition.
        private static func awaitMetric(_ name: String, in lab: Lab, _ holds: (Double?) -> Bool) async throws
        {
            var last: Double?
            try await lab.eventually("\(name) has the expected value", within: .seconds(10)) {
                last = value(name, in: try await lab.curl("metrics").body.split(separator: "\n"))
                return holds(last)
            }
            #expect(holds(last), "\(name) \(last.map(String.init(describing:)) ?? "is missing")")
        }

        @Test("three hundred simultaneous scrapers are answered, twice, by the same gateway process")
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
                for _ in 0..<2 {
                    try await lab.python("Clients/metrics_crowd.py", try lab.gatewayURL(), "300")
                }
                #expect(try await lab.processID("gateway") == gateway)
                try await lab.succeed("toggle", "Bedroom 1")
            }
        }

        // On a busy machine a command may be repeated: there are at least three.
        @Test("metrics have each node's counters, which begin at zero after a restart of the node")
        func nodes() async throws {
            try await Lab.withFleet(gateway: true, ["--scenario", "quiet"]) { lab in
                for _ in 0..<3 { try await lab.succeed("toggle", "Bedroom 1") }
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
                try await lab.kill("node-1")
                let commands = "sensibus_node_commands_total{\(Self.node)}"
                try await Self.awaitMetric(commands, in: lab) { $0 == nil }
                try await lab.succeed("restart", "node-1")
                try await Self.awaitMetric(commands, in: lab) { $0 == 0 }
            }
        }
    }
}
