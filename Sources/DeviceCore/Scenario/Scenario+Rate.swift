extension Scenario {
    /// How often something happens to one device (or node): times an hour of the simulated clock.
    public struct Rate: Hashable, Sendable {
        /// A part of the day in which the rate is the same.
        public struct Period: Hashable, Sendable {
            /// When it begins.
            public let from: TimeOfDay
            /// When the next may begin; where that is not later in the day, on the next day.
            public let to: TimeOfDay
            /// How often it happens then, times an hour.
            public let perHour: Double

            /// The period of those values; one whose ends are the same is a whole day.
            public init(from: TimeOfDay, to: TimeOfDay, perHour: Double) {
                self.from = from
                self.to = to
                self.perHour = perHour
            }

            /// How long it is, seconds: 1 to 86,400.
            public var seconds: Int {
                let length = to.secondOfDay - from.secondOfDay
                return length > 0 ? length : length + TimeOfDay.secondsPerDay
            }

            /// Whether a time of day lies in it; its first second does, its end does not.
            public func contains(_ time: TimeOfDay) -> Bool {
                TimeOfDay(secondOfDay: time.secondOfDay - from.secondOfDay).secondOfDay < seconds
            }

            /// Whether there is a time of day that lies in both.
            public func overlaps(_ other: Period) -> Bool {
                contains(other.from) || other.contains(from)
            }
        }

        /// It never happens.
        public static let never = Rate(perHour: 0)

        /// The parts of the day that have a rate; in between it never happens.
        public let periods: [Period]

        /// The same rate all day.
        public init(perHour: Double) {
            periods = [Period(from: .midnight, to: .midnight, perHour: perHour)]
        }

        /// A rate for each part of the day.
        ///
        /// - Precondition: No two of the periods overlap.
        public init(daily periods: [Period]) {
            for (index, period) in periods.enumerated() {
                precondition(!periods[..<index].contains { $0.overlaps(period) }, "two periods overlap")
            }
            self.periods = periods
        }

        /// How often it happens at that time of day, times an hour.
        public func perHour(at time: TimeOfDay) -> Double {
            periods.first { $0.contains(time) }?.perHour ?? 0
        }

        /// How often it happens at that second of the day, times an hour.
        public func rate(at secondOfDay: Int) -> Double {
            perHour(at: TimeOfDay(secondOfDay: secondOfDay))
        }

        /// The highest rate of the day, times an hour: what chance is drawn at, to be thinned by
        /// ``perHour(at:)``.
        public var peakPerHour: Double { periods.reduce(0) { max($0, $1.perHour) } }

        /// How often it happens on average over the day, times an hour.
        public var meanPerHour: Double {
            periods.reduce(0) { $0 + $1.perHour * Double($1.seconds) } / Double(TimeOfDay.secondsPerDay)
        }

        /// Whether it ever happens.
        public var isNever: Bool { peakPerHour == 0 }

        /// Whether it is the same at all times of day.
        public var isConstant: Bool {
            isNever || periods.count == 1 && periods[0].seconds == TimeOfDay.secondsPerDay
        }
    }
}
