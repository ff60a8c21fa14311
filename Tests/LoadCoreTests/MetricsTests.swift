import FleetProtocol
import Testing
import UserText

@testable import LoadCore

@Suite("The metrics of a load")
struct MetricsTests {
    private static func latencies(_ durations: [Duration]) -> LatencyFigures {
        var record = LatencyRecord()
        for duration in durations { record.record(duration) }
        return record.figures
    }

    @Test("a running load has its counts, its latencies in seconds, and those of the last second")
    func running() {
        let progress = LoadProgress(
            elapsed: .milliseconds(-1_500), duration: .seconds(9), inFlight: 3,
            totals: .init(
                offered: 7, applied: 2, failed: 1, outcomes: ["offline": 1, "applied": 2],
                recent: Self.latencies([.milliseconds(8)]),
                whole: Self.latencies([.milliseconds(2), .milliseconds(4)])))
        // The percentiles are the upper ends of the histogram's buckets, except for the maximum.
        #expect(
            LoadMetrics(progress, run: 2).text == """
                # HELP sensibus_load_run The number of the load among several, from 1.
                # TYPE sensibus_load_run gauge
                sensibus_load_run 2
                # HELP sensibus_load_running 1 while the load runs, 0 after its end.
                # TYPE sensibus_load_running gauge
                sensibus_load_running 1
                # HELP sensibus_load_elapsed_seconds The time since the measurement began; negative during the warm-up.
                # TYPE sensibus_load_elapsed_seconds gauge
                sensibus_load_elapsed_seconds -1.5
                # HELP sensibus_load_offered_requests_total Toggles that were due.
                # TYPE sensibus_load_offered_requests_total counter
                sensibus_load_offered_requests_total 7
                # HELP sensibus_load_applied_requests_total Toggles that were applied.
                # TYPE sensibus_load_applied_requests_total counter
                sensibus_load_applied_requests_total 2
                # HELP sensibus_load_failed_requests_total Toggles that were not applied.
                # TYPE sensibus_load_failed_requests_total counter
                sensibus_load_failed_requests_total 1
                # HELP sensibus_load_outcomes_total Toggles that have ended, by outcome and refusal.
                # TYPE sensibus_load_outcomes_total counter
                sensibus_load_outcomes_total{outcome="applied"} 2
                sensibus_load_outcomes_total{outcome="offline"} 1
                # HELP sensibus_load_in_flight_requests Toggles that have been sent and not answered.
                # TYPE sensibus_load_in_flight_requests gauge
                sensibus_load_in_flight_requests 3
                # HELP sensibus_load_request_duration_seconds The time of applied toggles, from when they were due to the reply.
                # TYPE sensibus_load_request_duration_seconds summary
                sensibus_load_request_duration_seconds{quantile="0.5"} 0.0020009
                sensibus_load_request_duration_seconds{quantile="0.9"} 0.004
                sensibus_load_request_duration_seconds{quantile="0.99"} 0.004
                sensibus_load_request_duration_seconds{quantile="0.999"} 0.004
                sensibus_load_request_duration_seconds{quantile="1.0"} 0.004
                sensibus_load_request_duration_seconds_sum 0.006
                sensibus_load_request_duration_seconds_count 2
                # HELP sensibus_load_recent_request_duration_seconds As request_duration, of the last second.
                # TYPE sensibus_load_recent_request_duration_seconds summary
                sensibus_load_recent_request_duration_seconds{quantile="0.5"} 0.008
                sensibus_load_recent_request_duration_seconds{quantile="0.9"} 0.008
                sensibus_load_recent_request_duration_seconds{quantile="0.99"} 0.008
                sensibus_load_recent_request_duration_seconds{quantile="0.999"} 0.008
                sensibus_load_recent_request_duration_seconds{quantile="1.0"} 0.008
                sensibus_load_recent_request_duration_seconds_sum 0.008
                sensibus_load_recent_request_duration_seconds_count 1

                """)
    }

    @Test("a load that has ended has the figures of its report")
    func ended() throws {
        let result = try LoadReport.sample().last.result
        let text = LoadMetrics(result, run: 1).text
        let lines = Set(text.split(separator: "\n").map(String.init))
        #expect(lines.contains("sensibus_load_running 0"))
        #expect(lines.contains("sensibus_load_in_flight_requests 0"))
        #expect(lines.contains("sensibus_load_elapsed_seconds 5.0"))
        #expect(lines.contains("sensibus_load_applied_requests_total \(result.applied)"))
        for (name, count) in result.outcomes {
            #expect(lines.contains("sensibus_load_outcomes_total{outcome=\"\(name)\"} \(count)"))
        }
        #expect(lines.contains("sensibus_load_request_duration_seconds_count \(result.latencyUs.count)"))
        #expect(!text.contains("recent") && !text.contains("# EOF"))
    }

    @Test("the outcome of a gateway's answer is one label, regardless of its characters")
    func label() {
        let progress = LoadProgress(
            elapsed: .seconds(1), duration: .seconds(9), inFlight: 0,
            totals: .init(
                offered: 1, applied: 0, failed: 1, outcomes: ["a\"} 7\nb\\": 1], recent: .none, whole: .none))
        let lines = LoadMetrics(progress, run: 1).text.split(separator: "\n")
        #expect(lines.contains(#"sensibus_load_outcomes_total{outcome="a\"} 7\nb\\"} 1"#))
    }

    @Test("the latencies that several testers do not report are absent, not 0")
    func shared() {
        let progress = LoadProgress(
            of: [.init(offered: 5, applied: 5, p99Us: 700)], elapsed: .seconds(1), duration: .seconds(9))
        let text = LoadMetrics(progress, run: 1).text
        #expect(text.contains("sensibus_load_applied_requests_total 5\n"))
        #expect(!text.contains("sensibus_load_request_duration") && !text.contains("outcome"))
        #expect(text.contains("sensibus_load_recent_request_duration_seconds{quantile=\"0.99\"} 0.0007\n"))
        #expect(!text.contains("_sum") && !text.contains("_count"))
    }

    @Test("an address for pushes has a server and a path")
    func url() throws {
        let url = try PushURL("http://127.0.0.1:9091/metrics/job/load/instance/a@b?x=1")
        #expect(url.server.authority == "127.0.0.1:9091" && !url.server.isSecure)
        #expect(url.path == "/metrics/job/load/instance/a@b?x=1")
        #expect(url.description == "http://127.0.0.1:9091\(url.path)")
    }

    @Test(
        "any other address is refused",
        arguments: [
            "", "http://a", "http://a/", "http:///metrics", "http://a:0/metrics", "ftp://a/metrics",
            "https://a/metrics", "http://a/me trics", "http://a/metrics#x", "http://a/métrics",
        ])
    func otherURL(text: String) {
        #expect(throws: PlanError.self) { try PushURL(text) }
    }
}
