public import CMath

/// A small, fast random number generator that is fully determined by its seed.
///
/// SplitMix64 (Steele, Lea, Flood: "Fast splittable pseudorandom number
/// generators", OOPSLA 2014). Never for secrets.
public struct SeededGenerator: RandomNumberGenerator, Sendable {
    @usableFromInline var state: UInt64

    /// A generator with the given seed.
    @inlinable
    public init(seed: UInt64) { state = seed }

    /// Returns the next 64 bits.
    @inlinable
    public mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        return Self.mixed(state)
    }

    /// Returns a separate generator for one purpose, independent of the seed's own sequence.
    public static func derived(seed: UInt64, purpose: UInt64) -> SeededGenerator {
        SeededGenerator(seed: mixed(seed ^ mixed(purpose &+ 0x9e37_79b9_7f4a_7c15)))
    }

    /// SplitMix64's output function: every bit of the input reaches every bit of the output.
    @inlinable
    public static func mixed(_ value: UInt64) -> UInt64 {
        var mixed = value
        mixed = (mixed ^ (mixed >> 30)) &* 0xbf58_476d_1ce4_e5b9
        mixed = (mixed ^ (mixed >> 27)) &* 0x94d0_49bb_1331_11eb
        return mixed ^ (mixed >> 31)
    }
}

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
