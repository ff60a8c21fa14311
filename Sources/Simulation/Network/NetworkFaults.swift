import FleetProtocol

/// The rates of packet faults of a run; some seeds have low ones.
struct NetworkFaults {
    /// The shares of packets that are lost, duplicated, and delayed for long.
    private let lost: Double
    private let duplicated: Double
    private let late: Double
    /// The share of telemetry that is lost in addition.
    let telemetryLost: Double
    /// The longest delay of a late packet.
    private let longestDelay: Duration
    /// The time between two process faults.
    let faultInterval: Duration

    /// No loss, and a delay of up to a millisecond.
    static let none = NetworkFaults()

    private init() {
        (lost, duplicated, late, telemetryLost) = (0, 0, 0, 0)
        (longestDelay, faultInterval) = (.milliseconds(1), .seconds(3_600))
    }

    init(using generator: inout SeededGenerator) {
        lost = 0.15 * Double.random(in: 0...1, using: &generator)
        duplicated = Double.random(in: 0...0.15, using: &generator)
        late = Double.random(in: 0...0.15, using: &generator)
        telemetryLost = Bool.random(using: &generator) ? 0.5 : 0
        longestDelay = .milliseconds(Int.random(in: 50...2_500, using: &generator))
        faultInterval = .milliseconds(Int.random(in: 100...600, using: &generator))
    }

    /// The number of copies of a packet that arrive: 0 if it is lost, 2 if it is duplicated.
    func copies(using generator: inout SeededGenerator) -> Int {
        guard Double.random(in: 0..<1, using: &generator) >= lost else { return 0 }
        return Double.random(in: 0..<1, using: &generator) < duplicated ? 2 : 1
    }

    /// Whether a copy is delayed for long.
    func isLate(using generator: inout SeededGenerator) -> Bool {
        Double.random(in: 0..<1, using: &generator) < late
    }

    /// The delay of a copy, in microseconds.
    func delay(isLate: Bool, using generator: inout SeededGenerator) -> Int64 {
        let longest = isLate ? longestDelay.wholeNanoseconds / 1_000 : 2_000
        return Int64.random(in: 200...longest, using: &generator)
    }
}
