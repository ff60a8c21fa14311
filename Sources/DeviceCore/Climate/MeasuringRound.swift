import FleetProtocol
import Stepping

/// Whose pod measures when: each once in 90 seconds of the simulated clock, one after the other.
///
/// Times are simulated milliseconds since the scenario began. They follow from the number of pods alone, not
/// from when somebody got round to it: a node that is late measures what there was to measure at the time.
/// One that is late by a whole round and more makes the next so much longer.
struct MeasuringRound: Sendable {
    /// How often a pod measures.
    static let intervalMs = Measurements.interval.wholeMilliseconds

    private let count: Int
    /// The place whose turn it is.
    private(set) var place = 0
    private var startMs: Int64 = 0
    private var lengthMs = intervalMs
    /// The round before; the first has a beginning and no length.
    private var earlier: (startMs: Int64, lengthMs: Int64) = (0, 0)

    /// The first round of so many pods, one or more.
    init(of count: Int) {
        self.count = count
    }

    /// When it is the turn of the place.
    var dueMs: Int64 { due(startMs, lengthMs) }
    /// When it was its turn before; at first, when the scenario began.
    var lastMs: Int64 { due(earlier.startMs, earlier.lengthMs) }
    /// Whether no pod of this round has measured before.
    var isFirst: Bool { earlier.lengthMs == 0 }

    /// Goes on to the next place, at a moment that is not before its turn.
    mutating func goOn(atMs nowMs: Int64) {
        place += 1
        guard place == count else { return }
        earlier = (startMs, lengthMs)
        startMs += lengthMs
        let lateMs = max(0, nowMs - startMs)
        lengthMs = Self.intervalMs * (1 + lateMs / Self.intervalMs)
        place = 0
    }

    private func due(_ startMs: Int64, _ lengthMs: Int64) -> Int64 {
        startMs + lengthMs * Int64(place) / Int64(count)
    }
}
