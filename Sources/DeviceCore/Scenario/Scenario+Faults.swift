import CMath
import FleetProtocol

extension Scenario {
    /// Hangs of devices, which stay connected but do not answer for a while.
    public struct Hangs: Hashable, Sendable {
        public var rate: Rate
        public var lasting: Duration

        /// Hangs with the given values; by default there are none.
        public init(rate: Rate = .never, lasting: Duration = .seconds(30)) {
            (self.rate, self.lasting) = (rate, lasting)
        }
    }
}

extension Scenario {
    /// Devices that disconnect together at certain times of day, and reconnect together, as after a power cut
    /// or a restart of an access point.
    public struct Herd: Hashable, Sendable {
        /// The times of day, in order; at least one.
        public let times: [TimeOfDay]
        /// The fraction of all devices, above 0 and at most 1.
        public let part: Double
        public let lasting: Duration

        /// A herd with the given values, of which at least one time.
        public init(times: [TimeOfDay], part: Double, lasting: Duration) {
            precondition(!times.isEmpty, "a herd needs at least one time")
            self.times = times.sorted()
            (self.part, self.lasting) = (part, lasting)
        }

        /// Returns the time from a time of day to the next herd, simulated seconds: above 0, at most a day.
        public func secondsUntilNext(after time: TimeOfDay) -> Int {
            let waits = times.map { TimeOfDay(secondOfDay: $0.secondOfDay - time.secondOfDay).secondOfDay }
            let day = TimeOfDay.secondsPerDay
            return waits.reduce(day) { min($0, $1 == 0 ? day : $1) }
        }
    }
}

extension Scenario {
    /// The latency of a device's answers, in real time: deadlines do not run faster with the simulated clock.
    public enum Latency: Hashable, Sendable {
        case fixed(Duration)
        case uniform(low: Duration, high: Duration)
        /// A log-normal distribution with a median and a 99th percentile.
        case logNormal(median: Duration, p99: Duration)

        /// The 99th percentile of the normal distribution.
        private static let normalP99 = 2.326_347_874_040_841

        /// The upper bound of a log-normal latency, which exceeds every deadline.
        public static let longest: Duration = .seconds(60)

        func drawn(using generator: inout some RandomNumberGenerator) -> Duration {
            switch self {
            case .fixed(let duration): return duration
            case .uniform(let low, let high):
                let span = max(0, high.wholeNanoseconds - low.wholeNanoseconds)
                return low + .nanoseconds(Int64.random(in: 0...span, using: &generator))
            case .logNormal(let median, let p99):
                let sigma =
                    log(Double(p99.wholeNanoseconds) / Double(median.wholeNanoseconds)) / Self.normalP99
                // The Box–Muller transform yields a normally distributed number.
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
    /// The Wi-Fi of each device.
    public struct Network: Hashable, Sendable {
        public var drops: Rate
        /// The mean time without a connection.
        public var meanTimeWithout: Duration

        /// A Wi-Fi with the given values; by default it never drops.
        public init(drops: Rate = .never, meanTimeWithout: Duration = .seconds(8)) {
            (self.drops, self.meanTimeWithout) = (drops, meanTimeWithout)
        }
    }
}

extension Scenario {
    public struct Reboots: Hashable, Sendable {
        public var rate: Rate
        public var lasting: Duration
        /// The probability that the device loses its memory, 0 to 1.
        public var memoryLoss: Double

        /// Reboots with the given values; by default there are none.
        public init(rate: Rate = .never, lasting: Duration = .seconds(20), memoryLoss: Double = 0) {
            (self.rate, self.lasting, self.memoryLoss) = (rate, lasting, memoryLoss)
        }
    }
}
