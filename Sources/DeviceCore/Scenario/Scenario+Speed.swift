import Stepping

/// A scenario in real time, as a node needs it.
extension Scenario {
    /// States of its connection through which a device goes on average until it is established again: from
    /// each of them every second way leads there.
    private static let statesWithout: Double = 2

    /// How long, on average, a device stays in one state of its connection while it has none, real seconds.
    public var dwellSeconds: Double { realSeconds(network.meanTimeWithout) / Self.statesWithout }

    /// What happens so often in an hour of the simulated clock, in a real second.
    public func perSecond(_ perHour: Double) -> Double { perHour / 3_600 * clock.speed }

    /// How long a simulated duration takes, real seconds.
    public func realSeconds(_ duration: Duration) -> Double {
        Double(duration.wholeNanoseconds) / 1e9 / clock.speed
    }
}
