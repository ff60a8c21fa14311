import FleetProtocol
import FleetTime

/// The due times of an open loop's requests, which depend on the seed alone and not on the fleet.
struct ArrivalSchedule: Sendable {
    /// When the next request is due.
    private(set) var next: MonotonicTime

    private let start: MonotonicTime
    private let rate: Double
    private let arrivals: Arrivals
    private var generator: SeededGenerator
    private var drawn: UInt64 = 0

    /// A schedule that begins at an instant.
    ///
    /// - Parameter rate: The mean number of requests per second; positive.
    init(_ arrivals: Arrivals, perSecond rate: Double, from start: MonotonicTime, seed: UInt64) {
        (self.start, self.rate, self.arrivals) = (start, rate, arrivals)
        generator = SeededGenerator.derived(seed: seed, purpose: 1)
        next = start
        if arrivals == .poisson { next = start.advanced(by: generator.waitingTime(perSecond: rate)) }
    }

    /// Removes the next request from the schedule and computes the due time of the one after it.
    ///
    /// - Returns: The due time of the removed request.
    mutating func advance() -> MonotonicTime {
        let due = next
        drawn += 1
        next =
            switch arrivals {
            case .poisson: due.advanced(by: generator.waitingTime(perSecond: rate))
            // Computed from the start, so that the rounding errors of the gaps do not add up.
            case .uniform: start.advanced(by: .nanoseconds(Int64(Double(drawn) / rate * 1e9)))
            }
        return due
    }
}

/// How the requests of an open loop are spread over time.
public enum Arrivals: String, CaseIterable, Codable, Sendable {
    /// A Poisson process, like many independent users: the gaps are exponentially distributed.
    case poisson
    /// Equal gaps.
    case uniform
}

/// The rule that decides when the next request is due.
public enum Demand: Equatable, Sendable {
    /// An open loop: a fixed mean number of requests per second, independent of the replies.
    case rate(perSecond: Double, Arrivals)
    /// A closed loop: a fixed number of requests in flight; each reply admits the next request.
    ///
    /// It measures the capacity. It hides queueing: while the fleet stalls, the tester sends nothing.
    case inFlight(Int)
}

/// An endless round-robin over the devices, in an order shuffled by the seed.
///
/// A device comes again only after all others. Two requests meet in one device's lane only if the fleet is
/// slow, never by chance.
struct DeviceRound: Sendable {
    private let devices: [DeviceID]
    private var place = 0

    /// A round of at least one device, shuffled by the seed.
    init(_ devices: [DeviceID], seed: UInt64) {
        precondition(!devices.isEmpty, "a load needs a device")
        var generator = SeededGenerator.derived(seed: seed, purpose: 2)
        self.devices = devices.shuffled(using: &generator)
    }

    /// Returns the next device and advances the round.
    mutating func next() -> DeviceID {
        let device = devices[place]
        place = place + 1 == devices.count ? 0 : place + 1
        return device
    }
}
