import FleetProtocol

/// What a controller counts of itself: from its start on, and second by second.
struct Meter: Sendable {
    /// What it has counted since its start.
    private(set) var counters = CounterReport.Controller()
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
