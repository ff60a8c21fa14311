import FleetTime

/// How bad the network is while it is bad: everything follows from the seed, and some seeds are mild.
struct Weather {
    /// Shares of the messages that are lost, doubled, and held up for long.
    let lost: Double
    let doubled: Double
    let late: Double
    /// The share of telemetry that is lost besides.
    let telemetryLost: Double
    /// The longest that a late message is held up.
    let latest: Duration
    /// The time between two mishaps.
    let mishapEvery: Duration

    /// No loss, and every message on its way for a millisecond or two.
    static let fair = Weather()

    private init() {
        (lost, doubled, late, telemetryLost) = (0, 0, 0, 0)
        (latest, mishapEvery) = (.milliseconds(1), .seconds(3_600))
    }

    init(using generator: inout SeededGenerator) {
        let badness = Double.random(in: 0...1, using: &generator)
        lost = 0.15 * badness
        doubled = Double.random(in: 0...0.15, using: &generator)
        late = Double.random(in: 0...0.15, using: &generator)
        telemetryLost = Bool.random(using: &generator) ? 0.5 : 0
        latest = .milliseconds(Int.random(in: 50...2_500, using: &generator))
        mishapEvery = .milliseconds(Int.random(in: 100...600, using: &generator))
    }

    /// How many copies of one message arrive: none when it is lost, two at most.
    func copies(using generator: inout SeededGenerator) -> Int {
        guard Double.random(in: 0..<1, using: &generator) >= lost else { return 0 }
        return Double.random(in: 0..<1, using: &generator) < doubled ? 2 : 1
    }

    /// Whether a copy is held up for long.
    func isLate(using generator: inout SeededGenerator) -> Bool {
        Double.random(in: 0..<1, using: &generator) < late
    }

    /// How many microseconds a copy is on its way.
    func delay(isLate: Bool, using generator: inout SeededGenerator) -> Int64 {
        let longest = isLate ? latest.wholeNanoseconds / 1_000 : 2_000
        return Int64.random(in: 200...longest, using: &generator)
    }
}
