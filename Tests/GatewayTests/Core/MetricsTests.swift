import FleetProtocol
import ReplicaTestSupport
import Testing
import UserText

@testable import GatewayCore

@Suite("Metrics")
struct MetricsTests {
    @Test("metrics have Prometheus' text format, with escaped labels")
    func text() {
        var text = MetricsText()
        text.family("a_total", .counter, "What it counts.")
        text.value("a_total", [("name", "x\"y\\z\n")], UInt64(3))
        text.value("a_total", [], UInt64(4))
        #expect(
            text.text == """
                # HELP a_total What it counts.
                # TYPE a_total counter
                a_total{name="x\\"y\\\\z\\n"} 3
                a_total 4

                """)
    }

    @Test("a histogram counts the durations up to each bound, and all")
    func histogram() {
        var histogram = DurationHistogram()
        for duration in [Duration.microseconds(500), .microseconds(501), .seconds(11)] {
            histogram.record(duration)
        }
        var text = MetricsText()
        text.histogram("h", [("x", "y")], histogram)
        let lines = text.text.split(separator: "\n")
        #expect(lines.first == #"h_bucket{x="y",le="0.0005"} 1"#)
        #expect(lines[1] == #"h_bucket{x="y",le="0.001"} 2"#)
        #expect(
            lines.suffix(4) == [
                #"h_bucket{x="y",le="10.0"} 2"#, #"h_bucket{x="y",le="+Inf"} 3"#, #"h_sum{x="y"} 11.001001"#,
                #"h_count{x="y"} 3"#,
            ])
    }

    @Test("request metrics are bounded, for any method")
    func requests() {
        var metrics = RequestMetrics()
        for method in ["GET", "GET", "BREW", "STEEP"] {
            metrics.record(method: method, route: nil, status: 404, in: .milliseconds(1))
        }
        var text = MetricsText()
        metrics.write(to: &text)
        #expect(
            text.text.contains(
                """
                sensibus_http_requests_total{method="GET",route="none",status="404"} 2
                sensibus_http_requests_total{method="other",route="none",status="404"} 2
                """))
    }

    @Test("request metrics have the duration of each method and route")
    func durations() {
        var metrics = RequestMetrics()
        for (method, milliseconds) in [("GET", 1), ("PATCH", 40), ("GET", 2)] {
            metrics.record(method: method, route: "/r", status: 200, in: .milliseconds(milliseconds))
        }
        var text = MetricsText()
        metrics.write(to: &text)
        for line in [
            #"sensibus_http_request_duration_seconds_count{method="GET",route="/r"} 2"#,
            #"sensibus_http_request_duration_seconds_sum{method="GET",route="/r"} 0.003"#,
            #"sensibus_http_request_duration_seconds_sum{method="PATCH",route="/r"} 0.04"#,
        ] {
            #expect(text.text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("fleet metrics have the outcomes by kind, and the parts of the latency")
    func ends() throws {
        var driver = try ReplicaDriver.whole(names: ["Hall"])
        var metrics = FleetMetrics()
        metrics.record(driver.receive(.outcome(try Fixture.report(.applied(Fixture.state(on: true))))).body)
        metrics.record(driver.receive(.outcome(try Fixture.report(.expired))).body)
        var text = MetricsText()
        let (account, cell) = (try #require(AccountID("demo")), try #require(CellName("c1")))
        FleetMetrics.write(
            [
                (CellAccount(account, in: nil), metrics, .init(driver.replica), 2),
                (CellAccount(account, in: cell), metrics, .init(driver.replica), 3),
            ], to: &text)
        for line in [
            #"sensibus_devices{account="demo"} 1"#, #"sensibus_devices_online{account="demo"} 1"#,
            #"sensibus_stream_listeners{account="demo"} 2"#, #"sensibus_replica_whole{account="demo"} 1"#,
            #"sensibus_stream_listeners{cell="c1",account="demo"} 3"#,
            #"sensibus_request_duration_seconds_count{account="demo",outcome="applied"} 1"#,
            #"sensibus_request_duration_seconds_count{account="demo",outcome="expired"} 1"#,
            #"sensibus_request_part_seconds_count{account="demo",part="wire"} 2"#,
        ] {
            #expect(text.text.contains(line + "\n"), "\(line)")
        }
    }

    @Test("node metrics have each node's counters, under its name and account")
    func nodes() throws {
        var counters = NodeCounters()
        counters.commands = 7
        counters[.applied] = 5
        counters[.staleCommandNumber] = 2
        counters.memoryBytes = 4_096
        counters.longestTurnUs = 1_500
        for microseconds: UInt64 in [10, 11, 20_000_000] { counters.commandTime.record(us: microseconds) }
        let name = try #require(NodeName("node-1"))
        let reported = CounterReport.Node(name: name, counters: counters)
        var text = MetricsText()
        let accounts = try ["demo", "other"].map { CellAccount(try #require(AccountID($0)), in: nil) }
        NodeMetrics.write(accounts.map { ($0, reported) }, to: &text)
        let node = #"account="demo",node="node-1""#
        for line in [
            "# TYPE sensibus_node_commands_total counter",
            "sensibus_node_commands_total{\(node)} 7",
            #"sensibus_node_commands_total{account="other",node="node-1"} 7"#,
            #"sensibus_node_results_total{\#(node),verdict="applied"} 5"#,
            #"sensibus_node_results_total{\#(node),verdict="staleSequence"} 2"#,
            #"sensibus_node_results_total{\#(node),verdict="expired"} 0"#,
            "# TYPE sensibus_node_command_duration_seconds histogram",
            #"sensibus_node_command_duration_seconds_bucket{\#(node),le="1e-05"} 1"#,
            #"sensibus_node_command_duration_seconds_bucket{\#(node),le="2.5e-05"} 2"#,
            #"sensibus_node_command_duration_seconds_bucket{\#(node),le="10.0"} 2"#,
            #"sensibus_node_command_duration_seconds_bucket{\#(node),le="+Inf"} 3"#,
            "sensibus_node_command_duration_seconds_sum{\(node)} 20.000021",
            "sensibus_node_command_duration_seconds_count{\(node)} 3",
            "# TYPE sensibus_node_memory_file_bytes gauge",
            "sensibus_node_memory_file_bytes{\(node)} 4096",
            "sensibus_node_longest_turn_seconds{\(node)} 0.0015",
        ] {
            #expect(text.text.contains(line + "\n"), "\(line)")
        }
        let families = text.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        #expect(
            Set(families).count == families.count, "a family is written once, whatever the number of nodes")
        for family in families where family.hasSuffix(" counter") {
            #expect(family.dropLast(" counter".count).hasSuffix("_total"), "\(family)")
        }
    }

    @Test("controller metrics are the status and the counters of each cell's controller")
    func controller() throws {
        var counters = CounterReport.Controller()
        counters.requests = 11
        counters.ended = 12
        var alone = ControllerMetrics(of: nil)
        alone.counters = counters
        var text = MetricsText()
        ControllerMetrics.write([alone], to: &text)
        #expect(text.text.contains("\nsensibus_controller_requests_total 11\n"))
        #expect(text.text.contains("\nsensibus_controller_ended_requests_total 12\n"))
        #expect(!text.text.contains("sensibus_controller_epoch"), "it has not answered")

        let names = [try #require(CellName("c1")), try #require(CellName("c2"))]
        var cells = names.map { ControllerMetrics(of: $0) }
        cells[0].status = StatusReport(epoch: Epoch(3), devices: 1)
        cells[1].status = StatusReport(epoch: Epoch(4), devices: 1)
        cells[1].counters = counters
        text = MetricsText()
        ControllerMetrics.write(cells, to: &text)
        for line in [
            #"sensibus_controller_epoch{cell="c1"} 3"#, #"sensibus_controller_epoch{cell="c2"} 4"#,
            #"sensibus_controller_requests_total{cell="c2"} 11"#,
        ] {
            #expect(text.text.contains("\n\(line)\n"), "\(line)")
        }
        let families = text.text.split(separator: "\n").filter { $0.hasPrefix("# TYPE ") }
        #expect(Set(families).count == families.count)
    }

    @Test("process metrics are read after the process's name, which may contain anything")
    func process() throws {
        let line =
            "42 (a) b) (c) S 1 42 42 0 -1 4194560 100 0 0 0 150 50 0 0 20 0 3 0 100 1000000 256 18446744073709551615"
        let use = try #require(ProcessUse(stat: line, ticks: 100, pageBytes: 4_096))
        #expect(use.processorSeconds == 2 && use.residentBytes == 1_048_576)
        #expect(ProcessUse(stat: "42 (a) S 1", ticks: 100, pageBytes: 4_096) == nil)
        #expect(ProcessUse(stat: "", ticks: 100, pageBytes: 4_096) == nil)
    }
}
