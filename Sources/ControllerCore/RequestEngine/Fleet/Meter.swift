import FleetProtocol

struct Meter: Sendable {
    private(set) var counters = CounterReport.Controller()
    /// Refusals that the network alone does not explain, since the last report.
    private var suspicions: [NodeRefusal: Int] = [:]
    private var endedBefore: UInt64 = 0
    private var longestTurnNow: Duration = .zero
    /// Requests that ended in the last full second.
    private(set) var endedPerSecond: UInt64 = 0
    private(set) var longestTurn: Duration = .zero

    mutating func countRequest() { counters.requests &+= 1 }

    mutating func countEnd() { counters.ended &+= 1 }

    mutating func countCommand() { counters.commands &+= 1 }

    mutating func countNodeMessage() { counters.nodeMessages &+= 1 }

    mutating func countTelemetry() { counters.telemetryMessages &+= 1 }

    mutating func record(_ refusal: NodeRefusal) {
        counters.nodeRefusals &+= 1
        if !refusal.isUsual { suspicions[refusal, default: 0] += 1 }
    }

    /// Removes and returns the refusals that the network alone does not explain, with their counts.
    mutating func drainSuspicions() -> [(refusal: NodeRefusal, count: Int)] {
        guard !suspicions.isEmpty else { return [] }
        defer { suspicions.removeAll(keepingCapacity: true) }
        return NodeRefusal.allCases.compactMap { refusal in suspicions[refusal].map { (refusal, $0) } }
    }

    mutating func recordTurn(took duration: Duration) { longestTurnNow = max(longestTurnNow, duration) }

    mutating func endSecond() {
        endedPerSecond = counters.ended - endedBefore
        longestTurn = longestTurnNow
        endedBefore = counters.ended
        longestTurnNow = .zero
    }
}
