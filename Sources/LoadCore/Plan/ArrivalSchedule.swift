import FleetProtocol
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

/// How the requests of an open loop are spread over time.
public enum Arrivals: String, CaseIterable, Codable, Sendable {
    /// As of many people who know nothing of each other: the gaps are exponentially distributed.
    case poisson
    /// One after the other, at equal distances.
    case uniform
}

/// What decides when the next request is due.
public enum Demand: Equatable, Sendable {
    /// An open loop: so many a second, however long the answers take.
    case rate(perSecond: Double, Arrivals)
    /// A closed loop: so many are on their way at any time, and an answer makes room for the next.
    ///
    /// It finds how much can be carried. It hides waiting: while the fleet stalls, nothing is asked.
    case inFlight(Int)
}

/// The devices in an order that follows from a seed, asked in turn for ever.
///
/// A device comes again only after all others have: two requests meet in one device's lane when the fleet is
/// slow, and never by chance.
struct DeviceRound: Sendable {
    private let devices: [DeviceID]
    private var place = 0

    /// A round of at least one device.
    init(_ devices: [DeviceID], seed: UInt64) {
        precondition(!devices.isEmpty, "a load needs a device")
        var generator = SeededGenerator.derived(seed: seed, purpose: 2)
        self.devices = devices.shuffled(using: &generator)
    }

    /// Whose turn it is.
    mutating func take() -> DeviceID {
        let device = devices[place]
        place = place + 1 == devices.count ? 0 : place + 1
        return device
    }
}
