public import CMath

extension RandomNumberGenerator {
    /// Draws a waiting time between independent events that occur `rate` times a second on average: an
    /// exponential distribution, up to 1e9 s; `rate` must be positive.
    @inlinable
    public mutating func waitingTime(perSecond rate: Double) -> Duration {
        precondition(rate > 0, "a waiting time needs a positive rate")
        let uniform = Double.random(in: Double.leastNonzeroMagnitude...1, using: &self)
        return .nanoseconds(Int64(min(-log(uniform) / rate, 1e9) * 1e9))
    }
}
