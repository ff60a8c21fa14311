import CMath
import FleetProtocol

extension Scenario {
    public struct Clock: Hashable, Sendable {
        public static let speeds = 0.1...10_000.0

        /// Simulated seconds in a real second, within ``speeds``.
        public var speed: Double
        /// The time of day at the start.
        public var start: TimeOfDay
        /// The real time that passes before a test server is ready, so that there are histories; at most
        /// ``longestPast``.
        public var past: Duration

        public static let longestPast: Duration = .seconds(86_400)

        /// The clock of those values; by default it runs at real speed and starts at noon.
        public init(speed: Double = 1, start: TimeOfDay = .noon, past: Duration = .zero) {
            (self.speed, self.start, self.past) = (speed, start, past)
        }

        /// Returns the time of day at a number of real seconds after the start.
        public func timeOfDay(afterRealSeconds seconds: Double) -> TimeOfDay {
            start.advanced(bySeconds: seconds * speed)
        }

        /// The length of a simulated day, real seconds.
        public var secondsPerDay: Double { Double(TimeOfDay.secondsPerDay) / speed }
    }
}

extension Scenario {
    /// The rate of an event for one device or node: times an hour of the simulated clock.
    public struct Rate: Hashable, Sendable {
        /// A part of the day with a constant rate.
        public struct Period: Hashable, Sendable {
            /// The beginning, inclusive.
            public let from: TimeOfDay
            /// The end, exclusive; on the next day unless it is later than ``from``.
            public let to: TimeOfDay
            /// The rate within the period, times an hour.
            public let perHour: Double

            /// The period of those values; with equal ends, it is a whole day.
            public init(from: TimeOfDay, to: TimeOfDay, perHour: Double) {
                (self.from, self.to, self.perHour) = (from, to, perHour)
            }

            /// The length, seconds: 1 to 86,400.
            public var seconds: Int {
                let length = to.secondOfDay - from.secondOfDay
                return length > 0 ? length : length + TimeOfDay.secondsPerDay
            }

            /// Whether the period contains a time of day; it includes its beginning and excludes its end.
            public func contains(_ time: TimeOfDay) -> Bool {
                TimeOfDay(secondOfDay: time.secondOfDay - from.secondOfDay).secondOfDay < seconds
            }

            /// Whether the two periods share a time of day.
            public func overlaps(_ other: Period) -> Bool { contains(other.from) || other.contains(from) }
        }

        public static let never = Rate(perHour: 0)

        /// The periods that have a rate; outside of them the rate is zero.
        public let periods: [Period]

        public init(perHour: Double) {
            periods = [Period(from: .midnight, to: .midnight, perHour: perHour)]
        }

        /// A rate for each part of the day; no two of the periods overlap.
        public init(daily periods: [Period]) {
            for (index, period) in periods.enumerated() {
                precondition(!periods[..<index].contains { $0.overlaps(period) }, "two periods overlap")
            }
            self.periods = periods
        }

        /// Returns the rate at a time of day, times an hour.
        public func perHour(at time: TimeOfDay) -> Double {
            periods.first { $0.contains(time) }?.perHour ?? 0
        }

        /// Returns the rate at a second of the day, times an hour.
        public func rate(at secondOfDay: Int) -> Double { perHour(at: TimeOfDay(secondOfDay: secondOfDay)) }

        /// The highest rate of the day, times an hour: events are drawn at this rate, and thinned by
        /// ``perHour(at:)``.
        public var peakPerHour: Double { periods.reduce(0) { max($0, $1.perHour) } }

        /// The mean rate over the day, times an hour.
        public var meanPerHour: Double {
            periods.reduce(0) { $0 + $1.perHour * Double($1.seconds) } / Double(TimeOfDay.secondsPerDay)
        }

        /// Whether the rate is always zero.
        public var isNever: Bool { peakPerHour == 0 }

        /// Whether the rate is the same at all times of day.
        public var isConstant: Bool {
            isNever || periods.count == 1 && periods[0].seconds == TimeOfDay.secondsPerDay
        }
    }
}

extension Scenario {
    /// The mean number of disconnected states before a device is connected again: each next state is the
    /// connected one with probability 1/2.
    private static let statesWithout: Double = 2

    /// The mean time that a disconnected device spends in one state of its connection, real seconds.
    var dwellSeconds: Double { realSeconds(network.meanTimeWithout) / Self.statesWithout }

    /// Converts a rate an hour of the simulated clock to a rate a real second.
    public func perSecond(_ perHour: Double) -> Double { perHour / 3_600 * clock.speed }

    /// Converts a simulated duration to real seconds.
    public func realSeconds(_ duration: Duration) -> Double {
        Double(duration.wholeNanoseconds) / 1e9 / clock.speed
    }
}

extension Scenario {
    /// A time of day, to the second.
    public struct TimeOfDay: Hashable, Comparable, Sendable, CustomStringConvertible {
        public static let secondsPerDay = 86_400
        /// The first moment of a day.
        public static let midnight = TimeOfDay(secondOfDay: 0)
        public static let noon = TimeOfDay(secondOfDay: 43_200)

        /// Seconds since midnight, 0 to 86,399.
        public let secondOfDay: Int

        /// The time at a number of seconds after midnight, modulo a day.
        public init(secondOfDay: Int) {
            let rest = secondOfDay % Self.secondsPerDay
            self.secondOfDay = rest < 0 ? rest + Self.secondsPerDay : rest
        }

        /// The time on a 24-hour clock; nil if the hour or the minute is out of range.
        public init?(hour: Int, minute: Int) {
            guard (0...23).contains(hour), (0...59).contains(minute) else { return nil }
            secondOfDay = hour * 3_600 + minute * 60
        }

        /// Returns the time a finite number of seconds later, wrapping at midnight.
        public func advanced(bySeconds seconds: Double) -> TimeOfDay {
            let day = Double(Self.secondsPerDay)
            return TimeOfDay(secondOfDay: secondOfDay + Int(seconds.truncatingRemainder(dividingBy: day)))
        }

        /// Hours and minutes: `08:30`.
        public var description: String {
            let (hour, minute) = (secondOfDay / 60).quotientAndRemainder(dividingBy: 60)
            return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
        }

        /// Whether the first time is earlier in the day.
        public static func < (left: TimeOfDay, right: TimeOfDay) -> Bool {
            left.secondOfDay < right.secondOfDay
        }
    }
}

extension Scenario {
    /// The air outside, with a sinusoidal temperature over the day.
    public struct Weather: Hashable, Sendable {
        /// The mean temperature of the day, °C: -40 to 55.
        public var meanCelsius: Double
        /// The amplitude of the temperature around the mean, K: 0 to 25.
        public var swingKelvin: Double
        /// The time of the highest temperature.
        public var hottest: TimeOfDay
        /// Relative humidity, percent.
        public var humidityPercent: Double

        /// The weather of those values; by default a constant 22 °C at 50 %.
        public init(
            meanCelsius: Double = 22, swingKelvin: Double = 0,
            hottest: TimeOfDay = TimeOfDay(secondOfDay: 15 * 3_600), humidityPercent: Double = 50
        ) {
            (self.meanCelsius, self.swingKelvin) = (meanCelsius, swingKelvin)
            (self.hottest, self.humidityPercent) = (hottest, humidityPercent)
        }

        /// Returns the temperature at a time of day, °C.
        public func celsius(at time: TimeOfDay) -> Double {
            let turn = Double(time.secondOfDay - hottest.secondOfDay) / Double(TimeOfDay.secondsPerDay)
            return meanCelsius + swingKelvin * cos(2 * .pi * turn)
        }
    }
}
