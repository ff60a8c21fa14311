import Foundation
import Glibc
import Testing

extension EndToEnd {
    @Suite("The metrics of a fleet")
    struct MetricsTests {
        private static let node = #"account="demo",node="node-1""#

        /// What the gateway tells Prometheus, line by line.
        private static func metrics(_ lab: Lab) async throws -> [Substring] {
            let url = try String(contentsOfFile: lab.file("gateway-url"), encoding: .utf8)
                .trimmingCharacters(in: .whitespacesAndNewlines)
            let path = url.hasSuffix("/") ? "metrics" : "/metrics"
            let ended = try await lab.run(
                "/usr/bin/curl", ["--silent", "--fail", "--max-time", "10", url + path])
            return ended.output.split(separator: "\n")
        }

        /// Waits until they have a line.
        private static func tell(_ line: String, in lab: Lab) async throws {
            var last: [Substring] = []
            try await lab.eventually("a line “\(line)”", within: .seconds(10)) {
                last = try await metrics(lab)
                return last.contains { $0 == line }
            }
            let name = line.prefix { $0 != "{" }
            #expect(last.contains { $0 == line }, "\(last.filter { $0.hasPrefix(name) })")
        }

        @Test(
            "have what each node has counted, which begins at zero when the node is started again",
            .timeLimit(.minutes(2)))
        func nodes() async throws {
            try await Lab.withFleet(gateway: true) { lab in
                for _ in 0..<3 {
                    let toggle = try await lab.fleet("toggle", "Bedroom 1")
                    #expect(toggle.status == 0, "\(toggle.talk)")
                }
                try await Self.tell(
                    #"sensibus_node_results_total{\#(Self.node),verdict="applied"} 3"#, in: lab)
                let lines = try await Self.metrics(lab)
                for line in [
                    "sensibus_node_commands_total{\(Self.node)} 3",
                    "sensibus_node_published_rows_total{\(Self.node)} 3",
                    "sensibus_node_remembered_entries_total{\(Self.node)} 3",
                    #"sensibus_node_command_duration_seconds_bucket{\#(Self.node),le="+Inf"} 3"#,
                    "sensibus_node_command_duration_seconds_count{\(Self.node)} 3",
                    "sensibus_controller_ended_requests_total 3",
                ] {
                    #expect(lines.contains { $0 == line }, "\(line)")
                }
                kill(try await lab.processID("node-1"), SIGKILL)
                try await lab.eventually("nothing is said of a node that is away", within: .seconds(10)) {
                    try await !Self.metrics(lab).contains { $0.hasPrefix("sensibus_node_commands_total{") }
                }
                let restart = try await lab.fleet("restart", "node-1")
                #expect(restart.status == 0, "\(restart.talk)")
                try await Self.tell("sensibus_node_commands_total{\(Self.node)} 0", in: lab)
            }
        }
    }
}
