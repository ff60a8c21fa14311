import FleetProtocol

/// The due times of an open loop's requests, which depend on the seed alone and not on the fleet.
struct ArrivalSchedule: Sendable {
    /// When the next request is due; never after the last one of a ramp.
    private(set) var next: MonotonicTime

    private let start: MonotonicTime
    private let arrivals: Arrivals
    private var generator: SeededGenerator
    private var rates: RateCurve
    /// The mean number of requests up to the next one: the integral of the rate.
    private var mean = 0.0

    /// A schedule that begins at an instant. Requests of a unit rate are moved to the times at which the
    /// integral of the rate has their times. This is exact for rates that change, and rounding errors do not
    /// add up.
    init(_ arrivals: Arrivals, at rates: RateCurve, from start: MonotonicTime, seed: UInt64) {
        (self.start, self.rates, self.arrivals) = (start, rates, arrivals)
        generator = SeededGenerator.derived(seed: seed, purpose: 1)
        next = start
        if arrivals == .poisson { mean += gap() }
        computeNext()
    }

    /// Removes the next request from the schedule and computes the due time of the one after it; returns its
    /// own.
    mutating func advance() -> MonotonicTime {
        let due = next
        mean += gap()
        computeNext()
        return due
    }

    private mutating func gap() -> Double {
        switch arrivals {
        case .poisson: Double(generator.waitingTime(perSecond: 1).wholeNanoseconds) / 1e9
        case .uniform: 1
        }
    }

    private mutating func computeNext() {
        let seconds = rates.seconds(untilRequests: mean)
        next = seconds.map { start.advanced(by: .nanoseconds(Int64(min($0, 1e9) * 1e9))) } ?? .never
    }
}

/// How the requests of an open loop are spread over time.
public enum Arrivals: String, CaseIterable, Codable, Sendable {
    /// A Poisson process, like many independent users: the gaps are exponentially distributed.
    case poisson
    case uniform
}

/// The rule that decides when the next request is due.
public enum Demand: Equatable, Sendable {
    /// An open loop: a fixed mean number of requests per second, independent of the replies.
    case rate(perSecond: Double, Arrivals)
    /// An open loop whose rate changes; the warm-up has the rate of its beginning.
    case ramp(RateRamp, Arrivals)
    /// A closed loop: a fixed number of requests in flight; each reply admits the next request. It measures
    /// the capacity. It hides queueing: while the fleet stalls, the tester sends nothing.
    case inFlight(Int)
}

/// An endless round-robin over the devices, in an order shuffled by the seed. A device comes again only after
/// all others. Two requests meet in one device's lane only if the fleet is slow, never by chance.
struct DeviceRound: Sendable {
    private let devices: [DeviceID]
    private var place = 0

    init(_ devices: [DeviceID], seed: UInt64) {
        precondition(!devices.isEmpty, "a load needs a device")
        var generator = SeededGenerator.derived(seed: seed, purpose: 2)
        self.devices = devices.shuffled(using: &generator)
    }

    mutating func next() -> DeviceID {
        let device = devices[place]
        place = place + 1 == devices.count ? 0 : place + 1
        return device
    }
}
