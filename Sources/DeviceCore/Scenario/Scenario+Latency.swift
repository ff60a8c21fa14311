import Glibc
import Stepping

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
