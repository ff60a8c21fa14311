import FleetProtocol

extension Given {
    /// Each counter has a different number.
    var counters: NodeCounters {
        var counters = NodeCounters()
        counters.commands = 1_234
        for kind in Verdict.Kind.allCases { counters[kind] = UInt64(kind.rawValue) * 100 }
        for microseconds: UInt64 in [10, 11, 1_000, 250_000, 20_000_000] {
            counters.commandTime.record(us: microseconds)
        }
        counters.publishedRows = 1_300
        counters.publishedMeasurements = 90
        counters.rememberedEntries = 1_250
        counters.refusedMessages = 2
        counters.memoryBytes = 1 << 32
        counters.longestTurnUs = 840
        counters.timers = 115
        return counters
    }

    /// A controller, a node with counters, and one without.
    var counterReport: CounterReport {
        var controller = CounterReport.Controller()
        controller.requests = 5_000
        controller.ended = 1_200
        controller.commands = 1_240
        controller.nodeMessages = 9_000
        controller.telemetryMessages = 1_400
        controller.nodeRefusals = 3
        return CounterReport(
            controller: controller,
            nodes: [
                CounterReport.Node(name: node, counters: counters),
                CounterReport.Node(name: node, counters: NodeCounters()),
            ], nextCursor: 100, isLast: false)
    }

    /// The token of a node that hosts a hundred devices.
    var grant: NodeGrant {
        NodeGrant(range: DeviceRange(seed: 1, firstIndex: 100, count: 100), token: token)
    }
}
