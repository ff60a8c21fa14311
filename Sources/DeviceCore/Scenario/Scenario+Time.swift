import Glibc
import Stepping

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

extension Scenario {
    /// The air outside: a sine over the day.
    public struct Weather: Hashable, Sendable {
        /// The temperature of the day's mean, °C: -40 to 55.
        public var meanCelsius: Double
        /// Half of what is between the coldest and the hottest of the day, K: 0 to 25.
        public var swingKelvin: Double
        /// When it is hottest.
        public var hottest: TimeOfDay
        /// Relative humidity, percent.
        public var humidityPercent: Double

        /// The weather of those values: of itself 22 °C all day, and 50 %.
        public init(
            meanCelsius: Double = 22, swingKelvin: Double = 0,
            hottest: TimeOfDay = TimeOfDay(secondOfDay: 15 * 3_600), humidityPercent: Double = 50
        ) {
            self.meanCelsius = meanCelsius
            self.swingKelvin = swingKelvin
            self.hottest = hottest
            self.humidityPercent = humidityPercent
        }

        /// The temperature at a time of day, °C.
        public func celsius(at time: TimeOfDay) -> Double {
            let turn = Double(time.secondOfDay - hottest.secondOfDay) / Double(TimeOfDay.secondsPerDay)
            return meanCelsius + swingKelvin * cos(2 * .pi * turn)
        }
    }
}
