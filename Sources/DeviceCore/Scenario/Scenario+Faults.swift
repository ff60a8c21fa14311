import CMath
import FleetTime

extension Scenario {
    /// How devices stop answering for a while, though they stay connected.
    public struct Hangs: Hashable, Sendable {
        /// How often each does.
        public var rate: Rate
        /// For how long.
        public var lasting: Duration

        /// Hangs of those values: of themselves never.
        public init(rate: Rate = .never, lasting: Duration = .seconds(30)) {
            self.rate = rate
            self.lasting = lasting
        }
    }
}

extension Scenario {
    /// Devices that lose their connection together at certain times of day, and come back together: a power
    /// cut, or an access point that starts again.
    public struct Herd: Hashable, Sendable {
        /// When they go, in the order of the day; at least one time.
        public let times: [TimeOfDay]
        /// Which part of all devices goes, above 0 and at most 1.
        public let part: Double
        /// How long they are away.
        public let away: Duration

        /// The herd of those values.
        ///
        /// - Precondition: There is a time.
        public init(times: [TimeOfDay], part: Double, away: Duration) {
            precondition(!times.isEmpty, "a herd goes at some time")
            self.times = times.sorted()
            self.part = part
            self.away = away
        }

        /// How long after a time of day they go next, simulated seconds: above 0, at most a day.
        public func secondsUntilNext(after time: TimeOfDay) -> Int {
            let waits = times.map { TimeOfDay(secondOfDay: $0.secondOfDay - time.secondOfDay).secondOfDay }
            let day = TimeOfDay.secondsPerDay
            return waits.reduce(day) { min($0, $1 == 0 ? day : $1) }
        }
    }
}

extension Scenario {
    /// How long a device takes to answer, in real time: deadlines do not run faster with the simulated clock.
    public enum Latency: Hashable, Sendable {
        /// Always as long.
        case fixed(Duration)
        /// Anything in between, equally likely.
        case uniform(low: Duration, high: Duration)
        /// Mostly about the median, and one in a hundred longer than the 99th percentile (log-normal).
        case logNormal(median: Duration, p99: Duration)

        /// The 99th percentile of the normal distribution.
        private static let normalP99 = 2.326_347_874_040_841

        /// The longest that a log-normal one becomes: a device that is later than any deadline hangs.
        public static let longest: Duration = .seconds(60)

        /// A latency by chance.
        public func drawn(using generator: inout some RandomNumberGenerator) -> Duration {
            switch self {
            case .fixed(let duration): return duration
            case .uniform(let low, let high):
                let span = max(0, high.wholeNanoseconds - low.wholeNanoseconds)
                return low + .nanoseconds(Int64.random(in: 0...span, using: &generator))
            case .logNormal(let median, let p99):
                let sigma =
                    log(Double(p99.wholeNanoseconds) / Double(median.wholeNanoseconds)) / Self.normalP99
                // Box and Muller's way to a normal number.
                let radius =
                    (-2 * log(Double.random(in: Double.leastNonzeroMagnitude...1, using: &generator)))
                let angle = 2 * Double.pi * Double.random(in: 0..<1, using: &generator)
                let normal = radius.squareRoot() * cos(angle)
                let nanoseconds = Double(median.wholeNanoseconds) * exp(sigma * normal)
                return .nanoseconds(Int64(min(nanoseconds, Double(Self.longest.wholeNanoseconds))))
            }
        }
    }
}

extension Scenario {
    /// What the Wi-Fi of each device does.
    public struct Network: Hashable, Sendable {
        /// How often it drops.
        public var drops: Rate
        /// How long, on average, a device is then without.
        public var meanTimeWithout: Duration

        /// A Wi-Fi of those values: of itself it never drops.
        public init(drops: Rate = .never, meanTimeWithout: Duration = .seconds(8)) {
            self.drops = drops
            self.meanTimeWithout = meanTimeWithout
        }
    }
}

extension Scenario {
    /// How devices start again.
    public struct Reboots: Hashable, Sendable {
        /// How often each does.
        public var rate: Rate
        /// How long it is away.
        public var lasting: Duration
        /// How likely it has then forgotten everything, 0 to 1.
        public var memoryLoss: Double

        /// Reboots of those values: of themselves never.
        public init(rate: Rate = .never, lasting: Duration = .seconds(20), memoryLoss: Double = 0) {
            self.rate = rate
            self.lasting = lasting
            self.memoryLoss = memoryLoss
        }
    }
}
