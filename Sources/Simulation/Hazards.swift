import Stepping

/// Which kinds of trouble a seed has, beside its weather: each is there or not, at a rate of its own.
struct Hazards {
    /// The chance that a batch of effects is cut short by the death of the controller.
    var crashes = 0.0
    /// Whether a second controller starts while one is alive.
    var secondControllers = false
    /// Whether the controller's disk is full for a while.
    var fullDisks = false
    /// Whether wall clocks are wrong, and jump from one life to the next.
    var wrongClocks = false
    /// Whether observers read too slowly for a while.
    var slowWatchers = false
    /// Whether results are forgotten after seconds.
    var shortMemory = false
    /// Whether few requests may be in flight.
    var tightBounds = false
    /// Bytes after which the journal begins another segment.
    var segmentBytes = 1 << 20

    init(using generator: inout SeededGenerator) {
        if Bool.random(using: &generator) { crashes = Double.random(in: 0.0005...0.01, using: &generator) }
        secondControllers = Int.random(in: 0..<3, using: &generator) == 0
        fullDisks = Int.random(in: 0..<3, using: &generator) == 0
        wrongClocks = Int.random(in: 0..<4, using: &generator) == 0
        slowWatchers = Bool.random(using: &generator)
        shortMemory = Int.random(in: 0..<4, using: &generator) == 0
        tightBounds = Int.random(in: 0..<6, using: &generator) == 0
        if Bool.random(using: &generator) { segmentBytes = Int.random(in: 500...8_000, using: &generator) }
    }
}
