import FleetProtocol

/// What a controller counts of itself: from its start on, and second by second.
struct Meter: Sendable {
    /// What it has counted since its start.
    private(set) var counters = CounterReport.Controller()
    /// What no honest node says, since that was last asked for.
    private var suspicions: [NodeRefusal: Int] = [:]
    private var endedBefore: UInt64 = 0
    private var longestTurnNow: Duration = .zero
    /// Requests that ended in the last full second.
    private(set) var endedPerSecond: UInt64 = 0
    /// The longest turn of the last full second.
    private(set) var longestTurn: Duration = .zero

    mutating func noteRequest() {
        counters.requests &+= 1
    }

    mutating func noteEnd() {
        counters.ended &+= 1
    }

    mutating func noteCommand() {
        counters.commands &+= 1
    }

    mutating func noteNodeMessage() {
        counters.nodeMessages &+= 1
    }

    mutating func noteTelemetry() {
        counters.telemetryMessages &+= 1
    }

    /// A message or a row of a node was not taken.
    mutating func note(_ refusal: NodeRefusal) {
        counters.nodeRefusals &+= 1
        if !refusal.isUsual { suspicions[refusal, default: 0] += 1 }
    }

    /// What no honest node says, with how often, since the last call.
    mutating func takeSuspicions() -> [(refusal: NodeRefusal, count: Int)] {
        guard !suspicions.isEmpty else { return [] }
        defer { suspicions.removeAll(keepingCapacity: true) }
        return NodeRefusal.allCases.compactMap { refusal in suspicions[refusal].map { (refusal, $0) } }
    }

    mutating func noteTurn(took duration: Duration) {
        longestTurnNow = max(longestTurnNow, duration)
    }

    mutating func endSecond() {
        endedPerSecond = counters.ended - endedBefore
        longestTurn = longestTurnNow
        endedBefore = counters.ended
        longestTurnNow = .zero
    }
}
