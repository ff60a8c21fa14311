extension Scenario {
    /// A time of day, to the second.
    public struct TimeOfDay: Hashable, Comparable, Sendable, CustomStringConvertible {
        /// Seconds in a day.
        public static let secondsPerDay = 86_400
        /// The first moment of a day.
        public static let midnight = TimeOfDay(secondOfDay: 0)
        /// The middle of a day.
        public static let noon = TimeOfDay(secondOfDay: 43_200)

        /// Seconds since midnight, 0 to 86,399.
        public let secondOfDay: Int

        /// The time so many seconds after midnight; of what is longer than a day, the rest counts.
        public init(secondOfDay: Int) {
            let rest = secondOfDay % Self.secondsPerDay
            self.secondOfDay = rest < 0 ? rest + Self.secondsPerDay : rest
        }

        /// The time on a clock of 24 hours; nil when there is none such.
        public init?(hour: Int, minute: Int) {
            guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
            secondOfDay = hour * 3_600 + minute * 60
        }

        /// The time so many seconds later, over as many midnights as that takes.
        ///
        /// - Precondition: The seconds are finite.
        public func advanced(bySeconds seconds: Double) -> TimeOfDay {
            let day = Double(Self.secondsPerDay)
            return TimeOfDay(secondOfDay: secondOfDay + Int(seconds.truncatingRemainder(dividingBy: day)))
        }

        /// Hours and minutes: `08:30`.
        public var description: String {
            let (hour, minute) = (secondOfDay / 60).quotientAndRemainder(dividingBy: 60)
            return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        }

        /// Whether the first is earlier in the day.
        public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
            left.secondOfDay < right.secondOfDay
        }
    }
}
