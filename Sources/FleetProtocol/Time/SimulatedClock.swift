/// The clock of a simulation: it shows a time that it is set to at its beginning, and runs at a speed.
///
/// It is a function of the wall clock, so all processes that know its beginning show the same time, also
/// after a restart.
public struct SimulatedClock: Hashable, Sendable {
    /// The clock that shows the real time.
    public static let real = SimulatedClock(
        beganAt: WallTime(unixMilliseconds: 0), showing: WallTime(unixMilliseconds: 0), speed: 1)

    /// The longest time after its beginning that can be represented, in milliseconds.
    private static let longest = 4e18

    private let beganAt: WallTime
    /// The time that it shows at the beginning.
    public let first: WallTime
    /// Simulated seconds in a real second.
    public let speed: Double

    private init(beganAt: WallTime, showing first: WallTime, speed: Double) {
        (self.beganAt, self.first, self.speed) = (beganAt, first, speed)
    }

    /// Creates a clock that shows a time of the day of its beginning, UTC.
    ///
    /// - Parameters:
    ///   - second: The second of the day.
    ///   - speed: Simulated seconds in a real second, above 0.
    public init(beganAt: WallTime, second: UInt32, speed: Double) {
        let day = beganAt.unixMilliseconds.dividedDown(by: 86_400_000) * 86_400_000
        self.init(
            beganAt: beganAt, showing: WallTime(unixMilliseconds: day + Int64(second) * 1_000), speed: speed)
    }

    /// Returns the time that the clock shows at a real time; before its beginning it ran at real speed.
    public func shown(at real: WallTime) -> WallTime {
        let passed = real.unixMilliseconds - beganAt.unixMilliseconds
        let shown = passed < 0 ? passed : Int64(min(Double(passed) * speed, Self.longest))
        return WallTime(unixMilliseconds: first.unixMilliseconds + shown)
    }

    /// Returns the first real time, to the millisecond, at which the clock shows a time or a later one.
    public func real(at shown: WallTime) -> WallTime {
        let passed = shown.unixMilliseconds - first.unixMilliseconds
        let estimate = passed < 0 ? passed : Int64((Double(passed) / speed).rounded(.up))
        let real = WallTime(unixMilliseconds: beganAt.unixMilliseconds + estimate)
        // The division may be a bit too large or too small.
        let near = (-1...1).lazy.map { real.advanced(by: .milliseconds($0)) }
        return near.first { self.shown(at: $0) >= shown } ?? real
    }
}
