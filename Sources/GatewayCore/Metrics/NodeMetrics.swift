public import FleetProtocol

/// What the nodes of a fleet have counted.
public enum NodeMetrics {
    /// A node, and whose it is: another account may have one of that name.
    public typealias Told = (account: String, node: CounterReport.Node)

    /// Tells what each has told last.
    public static func write(_ nodes: [Told], to text: inout MetricsText) {
        for (name, count, help) in counters {
            text.family("sensibus_node_\(name)_total", .counter, help)
            for one in nodes {
                text.value("sensibus_node_\(name)_total", labels(of: one), one.node.counters[keyPath: count])
            }
        }
        text.family("sensibus_node_results_total", .counter, "Answers that left a node, by what they say.")
        for one in nodes {
            for kind in Verdict.Kind.allCases {
                text.value(
                    "sensibus_node_results_total", labels(of: one) + [("verdict", kind.name)],
                    one.node.counters[kind])
            }
        }
        text.family(
            "sensibus_node_command_duration_seconds", .histogram,
            "From the arrival of a command or an abort at a node until the answer left.")
        for one in nodes {
            text.histogram(
                "sensibus_node_command_duration_seconds", labels(of: one), one.node.counters.commandTime)
        }
        writeGauges(nodes, to: &text)
    }

    private static var counters: [(String, KeyPath<NodeCounters, UInt64>, String)] {
        [
            ("commands", \.commands, "Commands that arrived at a node, repeated ones too."),
            ("published_rows", \.publishedRows, "Rows of devices that a node has published."),
            ("published_measurements", \.publishedMeasurements, "Measurements that a node has published."),
            (
                "remembered_entries", \.rememberedEntries,
                "Entries that a node's devices were given to remember."
            ),
            ("refused_messages", \.refusedMessages, "Messages of the controller that a node has refused."),
        ]
    }

    private static func writeGauges(_ nodes: [Told], to text: inout MetricsText) {
        text.family("sensibus_node_memory_file_bytes", .gauge, "The file in which a node's devices remember.")
        for one in nodes {
            text.value("sensibus_node_memory_file_bytes", labels(of: one), one.node.counters.memoryBytes)
        }
        text.family("sensibus_node_timers", .gauge, "Timers that are set in a node.")
        for one in nodes {
            text.value("sensibus_node_timers", labels(of: one), UInt64(one.node.counters.timers))
        }
        text.family(
            "sensibus_node_longest_turn_seconds", .gauge,
            "The longest turn of a node's loop in the last second or so.")
        for one in nodes {
            text.value(
                "sensibus_node_longest_turn_seconds", labels(of: one),
                Double(one.node.counters.longestTurnUs) / 1_000_000)
        }
    }

    private static func labels(of one: Told) -> [(String, String)] {
        [("account", one.account), ("node", one.node.name.text)]
    }
}
