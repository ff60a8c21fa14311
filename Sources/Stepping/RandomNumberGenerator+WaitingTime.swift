public import Glibc

extension RandomNumberGenerator {
    /// A waiting time between two events that come `rate` times a second on average and know
    /// nothing of each other (exponentially distributed); rate must be positive.
    ///
    /// It can be inlined, so that each generator has it made for itself.
    @inlinable
    public mutating func waitingTime(perSecond rate: Double) -> Duration {
        precondition(rate > 0, "a waiting time needs a positive rate")
        let uniform = Double.random(in: Double.leastNonzeroMagnitude...1, using: &self)
        return .nanoseconds(Int64(min(-log(uniform) / rate, 1e9) * 1e9))
    }
}
