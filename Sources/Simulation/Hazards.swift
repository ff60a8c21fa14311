import FleetProtocol
import FleetTime

/// Which kinds of trouble a seed has, beside its weather: each is there or not, at a rate of its own.
struct Hazards {
    /// The chance that a batch of effects is cut short by the death of the controller.
    var crashes = 0.0
    /// Whether a second controller starts while one is alive.
    var secondControllers = false
    /// Whether the controller's disk is full for a while.
    var fullDisks = false
    /// Whether the controller's wall clock is wrong, and jumps from one life to the next and within one.
    var wrongClocks = false
    /// Whether the wall clocks of clients are wrong.
    var wrongClientClocks = false
    /// Whether observers read too slowly for a while.
    var slowWatchers = false
    /// Whether results are forgotten after seconds.
    var shortMemory = false
    /// Whether few requests may be in flight.
    var tightBounds = false
    /// How many then.
    var bound = 1
    /// How many times as often as usual clients ask.
    var haste = 1
    /// The time between two partitions; nil: there are none.
    var partitionEvery: Duration?
    /// Whether clients have several things done one after another.
    var sequences = false
    /// The chance that the controller dies between what the journal keeps of a sequence and what the store
    /// does.
    var storeDeaths = 0.0
    /// Whether what nodes have said to a life of the controller that is over is heard by the next.
    var lateWords = false
    /// Whether a node's process now and then starts with an older copy of the file of its memory.
    ///
    /// A controller that has just started cannot see that, so none dies then.
    var oldCopies = false
    /// Bytes after which the journal begins another segment.
    var segmentBytes = 1 << 20

    /// - Parameters:
    ///   - generator: Of what was there from the beginning.
    ///   - others: Of what has come to it, so that the former stays as it is for each seed.
    ///   - scripts: Of sequences alone, likewise.
    ///   - copies: Of older copies alone, likewise.
    init(
        using generator: inout SeededGenerator, others: inout SeededGenerator,
        scripts: inout SeededGenerator, copies: inout SeededGenerator
    ) {
        if Bool.random(using: &generator) { crashes = Double.random(in: 0.0005...0.01, using: &generator) }
        secondControllers = Int.random(in: 0..<3, using: &generator) == 0
        fullDisks = Int.random(in: 0..<3, using: &generator) == 0
        wrongClocks = Int.random(in: 0..<4, using: &generator) == 0
        slowWatchers = Bool.random(using: &generator)
        shortMemory = Int.random(in: 0..<4, using: &generator) == 0
        tightBounds = Int.random(in: 0..<6, using: &generator) == 0
        if Bool.random(using: &generator) { segmentBytes = Int.random(in: 500...8_000, using: &generator) }
        if Bool.random(using: &others) {
            partitionEvery = .milliseconds(Int.random(in: 150...1_500, using: &others))
        }
        wrongClientClocks = Int.random(in: 0..<4, using: &others) == 0
        bound = Int.random(in: 1...3, using: &others)
        if Int.random(in: 0..<4, using: &others) == 0 { haste = 8 }
        // A segment with room for less than what is open gives way with each batch, and shows nothing new.
        segmentBytes = min(segmentBytes * haste, 1 << 20)
        sequences = Int.random(in: 0..<3, using: &scripts) == 0
        if sequences, Bool.random(using: &scripts) {
            storeDeaths = Double.random(in: 0.01...0.1, using: &scripts)
        }
        lateWords = Int.random(in: 0..<3, using: &scripts) == 0
        oldCopies = Int.random(in: 0..<8, using: &copies) == 0
        if oldCopies { (crashes, storeDeaths, secondControllers) = (0, 0, false) }
    }

    /// How far a client's clock is from the true time: seconds, or more than a controller puts up with.
    func clientClockError(using generator: inout SeededGenerator) -> Duration {
        guard wrongClientClocks else { return .zero }
        if Int.random(in: 0..<8, using: &generator) == 0 { return Limits.idAhead + .seconds(60) }
        return .milliseconds(Int.random(in: -3_000...3_000, using: &generator))
    }
}
