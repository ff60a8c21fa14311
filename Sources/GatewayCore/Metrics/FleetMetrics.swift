public import FleetProtocol
public import FleetReplica
public import UserText

/// Metrics of the updates in an account's stream.
public struct FleetMetrics: Sendable {
    public typealias Report = (account: CellAccount, metrics: FleetMetrics, replica: Summary, listeners: Int)

    /// The total latencies of ended requests at the controller, by outcome.
    private var ends: [String: DurationHistogram] = [:]
    /// The parts of these latencies, for requests with at least one command to a device.
    private var parts: [String: DurationHistogram] = [:]

    private static let partTimes: [(name: String, microseconds: @Sendable (OutcomeReport.Timing) -> UInt64)] =
        [
            ("queue", { $0.queueUs }), ("wire", { $0.wireUs }), ("device", { $0.deviceUs }),
            ("journal", { $0.journalUs }),
        ]

    public init() {}

    public mutating func record(_ update: StreamUpdate.Body) {
        // An ID that was cancelled before its request arrived counts when the request arrives.
        guard case .outcome(let report) = update, report.device != nil else { return }
        let timing = report.timing
        ends[report.outcome.name, default: DurationHistogram()].record(.microseconds(timing.totalUs))
        guard report.attempts > 0 else { return }
        for (part, time) in Self.partTimes {
            parts[part, default: DurationHistogram()].record(.microseconds(time(timing)))
        }
    }

    public static func write(_ accounts: [Report], to text: inout MetricsText) {
        let labelled = accounts.map { ($0.account.labels, $0) }
        func family(
            _ name: String, _ kind: MetricsText.Kind, _ help: String, _ value: (Report) -> some Numeric
        ) { text.family("sensibus_\(name)", kind, help, of: labelled, value) }
        family("devices", .gauge, "Devices of an account.") { $0.replica.devices }
        family("devices_online", .gauge, "Devices of an account that are online.") { $0.replica.online }
        family("stream_changes_total", .counter, "Changes received from an account's stream.") {
            $0.replica.changes
        }
        family("snapshots_total", .counter, "Snapshots that were fetched completely.") {
            $0.replica.snapshots
        }
        // The second name is the former one, until the next version.
        for name in ["replica_whole", "mirror_whole"] {
            family(name, .gauge, "1 while the gateway has an account's whole fleet.") {
                $0.replica.isWhole ? 1 : 0
            }
        }
        family("stream_listeners", .gauge, "Pages that are connected to an account's stream.") {
            $0.listeners
        }
        text.family(
            "sensibus_request_duration_seconds", .histogram,
            "Time from a request's arrival at the controller to its end, by outcome.")
        for one in accounts {
            for (outcome, durations) in one.metrics.ends.sorted(by: { $0.key < $1.key }) {
                let labels = one.account.labels + [("outcome", outcome)]
                text.histogram("sensibus_request_duration_seconds", labels, durations)
            }
        }
        text.family(
            "sensibus_request_part_seconds", .histogram,
            "Latency of requests that reached a device, by part.")
        for one in accounts {
            for (part, _) in partTimes {
                guard let durations = one.metrics.parts[part] else { continue }
                let labels = one.account.labels + [("part", part)]
                text.histogram("sensibus_request_part_seconds", labels, durations)
            }
        }
    }

    public struct Summary: Sendable {
        let devices: Int
        let online: Int
        let changes: UInt64
        let snapshots: UInt64
        let isWhole: Bool

        public init(_ replica: Replica) {
            devices = replica.deviceCount
            online = replica.onlineCount
            changes = replica.updateCount
            snapshots = replica.snapshotCount
            isWhole = replica.isWhole
        }
    }
}

public enum NodeMetrics {
    /// The counters of a node, and its account: node names are unique only within an account.
    public typealias Report = (account: CellAccount, node: CounterReport.Node)

    public static func write(_ nodes: [Report], to text: inout MetricsText) {
        let labelled = nodes.map { (labels(of: $0), $0.node.counters) }
        for (name, count, help) in counters {
            text.family("sensibus_node_\(name)_total", .counter, help, of: labelled) { $0[keyPath: count] }
        }
        text.family("sensibus_node_results_total", .counter, "Results that a node has sent, by verdict.")
        for one in nodes {
            for kind in Verdict.Kind.allCases {
                text.value(
                    "sensibus_node_results_total", labels(of: one) + [("verdict", kind.name)],
                    one.node.counters[kind])
            }
        }
        text.family(
            "sensibus_node_command_duration_seconds", .histogram,
            "Time from the arrival of a command or an abort at a node to its answer.")
        for one in nodes {
            text.histogram(
                "sensibus_node_command_duration_seconds", labels(of: one), one.node.counters.commandTime)
        }
        text.family(
            "sensibus_node_memory_file_bytes", .gauge, "Size of the memory file of a node's devices.",
            of: labelled
        ) { $0.memoryBytes }
        text.family("sensibus_node_timers", .gauge, "Timers that are set in a node.", of: labelled) {
            $0.timers
        }
        text.family(
            "sensibus_node_longest_turn_seconds", .gauge,
            "The longest turn of a node's loop in about the last second.", of: labelled
        ) { Double($0.longestTurnUs) / 1_000_000 }
    }

    private static var counters: [(String, KeyPath<NodeCounters, UInt64>, String)] {
        [
            ("commands", \.commands, "Commands that arrived at a node, with repeated ones."),
            ("published_rows", \.publishedRows, "Rows of devices that a node has published."),
            ("published_measurements", \.publishedMeasurements, "Measurements that a node has published."),
            (
                "remembered_entries", \.rememberedEntries,
                "Entries written to the memories of a node's devices."
            ),
            ("refused_messages", \.refusedMessages, "Messages of the controller that a node has rejected."),
        ]
    }

    private static func labels(of one: Report) -> [(String, String)] {
        one.account.labels + [("node", one.node.name.text)]
    }
}

/// The counts of HTTP requests by route, method and status, and histograms of their durations. A route is the
/// pattern that a path matched, and unknown methods count as one, so the number of labels is bounded whatever
/// clients send.
public struct RequestMetrics: Sendable {
    private struct Question: Hashable, Sendable {
        let method: String
        let route: String

        var labels: [(String, String)] { [("method", method), ("route", route)] }
    }

    private struct Answers: Sendable {
        /// The number of answers by status.
        var counts: [Int: UInt64] = [:]
        var durations = DurationHistogram()
    }

    private var answers: [Question: Answers] = [:]

    public init() {}

    /// Counts a request that was answered; the route is nil if its path matched none.
    public mutating func record(method: String, route: String?, status: Int, in duration: Duration) {
        // Clients may send arbitrary method names; a label for each would be unbounded.
        let question = Question(
            method: Self.methods.contains(method) ? method : "other", route: route ?? "none")
        answers[question, default: Answers()].counts[status, default: 0] += 1
        answers[question]?.durations.record(duration)
    }

    public func write(to text: inout MetricsText) {
        let sorted = answers.sorted { ($0.key.route, $0.key.method) < ($1.key.route, $1.key.method) }
        text.family("sensibus_http_requests_total", .counter, "HTTP requests that were answered.")
        for (question, answers) in sorted {
            for (status, count) in answers.counts.sorted(by: { $0.key < $1.key }) {
                let labels = question.labels + [("status", String(status))]
                text.value("sensibus_http_requests_total", labels, count)
            }
        }
        text.family("sensibus_http_request_duration_seconds", .histogram, "Time to answer a request.")
        for (question, answers) in sorted {
            text.histogram("sensibus_http_request_duration_seconds", question.labels, answers.durations)
        }
    }

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
}
