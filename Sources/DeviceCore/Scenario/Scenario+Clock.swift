extension Scenario {
    /// The simulated clock.
    public struct Clock: Hashable, Sendable {
        /// How fast it may run.
        public static let speeds = 0.1...10_000.0

        /// Simulated seconds in a real one, one of ``speeds``.
        public var speed: Double
        /// What time of day it is at the start.
        public var start: TimeOfDay

        /// The clock of those values: of itself as fast as the real one, from noon.
        public init(speed: Double = 1, start: TimeOfDay = .noon) {
            self.speed = speed
            self.start = start
        }

        /// What time of day it is so many real seconds after the start.
        public func timeOfDay(afterRealSeconds seconds: Double) -> TimeOfDay {
            start.advanced(bySeconds: seconds * speed)
        }

        /// How long a simulated day takes, real seconds.
        public var secondsPerDay: Double { Double(TimeOfDay.secondsPerDay) / speed }
    }
}
