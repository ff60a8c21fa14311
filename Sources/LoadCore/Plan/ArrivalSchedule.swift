import Stepping

/// When each request of an open loop is due: from a seed, and from nothing that the fleet does.
struct ArrivalSchedule: Sendable {
    /// When the next request is due.
    private(set) var next: MonotonicTime

    private let start: MonotonicTime
    private let rate: Double
    private let arrivals: Arrivals
    private var generator: SeededGenerator
    private var taken: UInt64 = 0

    /// A schedule from a moment on.
    ///
    /// - Parameter rate: How many a second on average; positive.
    init(_ arrivals: Arrivals, perSecond rate: Double, from start: MonotonicTime, seed: UInt64) {
        self.start = start
        self.rate = rate
        self.arrivals = arrivals
        generator = SeededGenerator.derived(seed: seed, purpose: 1)
        next = start
        if arrivals == .poisson { next = start.advanced(by: generator.waitingTime(perSecond: rate)) }
    }

    /// Takes the request that is due next, and goes on to the one after it.
    ///
    /// - Returns: When it is due.
    mutating func take() -> MonotonicTime {
        let due = next
        taken += 1
        next =
            switch arrivals {
            case .poisson: due.advanced(by: generator.waitingTime(perSecond: rate))
            // Counted from the start, so that what is rounded off each gap does not add up.
            case .uniform: start.advanced(by: .nanoseconds(Int64(Double(taken) / rate * 1e9)))
            }
        return due
    }
}
