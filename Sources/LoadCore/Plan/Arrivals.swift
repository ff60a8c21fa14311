import FleetProtocol
import UserText

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

/// A rate that changes linearly in stages: `100..5000/60s,5000/30s,5000..0/10s`.
public struct RateRamp: Equatable, Sendable {
    /// A time in which the rate changes from one value to another.
    struct Stage: Equatable, Sendable {
        let from: Double
        let to: Double
        /// The length; infinite for a rate that does not end.
        let seconds: Double

        /// The mean number of requests in the stage: the integral of its rate.
        var requests: Double { from == to ? (from > 0 ? from * seconds : 0) : (from + to) / 2 * seconds }

        /// Returns the time from the beginning of the stage until the mean number of requests is reached.
        func seconds(untilRequests requests: Double) -> Double {
            guard requests > 0 else { return 0 }
            // The root of from * t + slope / 2 * t², in the form that is exact also for a small slope.
            let slope = (to - from) / seconds
            let rateThen = max(0, from * from + 2 * slope * requests).squareRoot()
            return min(seconds, 2 * requests / (from + rateThen))
        }
    }

    static let stageLimit = 100

    /// The text of the ramp, without blanks.
    public let text: String
    public let duration: Duration

    let stages: [Stage]

    /// Parses a ramp: stages separated by commas, each with one rate or with two, and a time.
    public init(_ text: String) throws(PlanError) {
        let trimmed = text.filter { $0 != " " }
        let parts = trimmed.split(separator: ",", omittingEmptySubsequences: false)
        guard parts.count <= Self.stageLimit else {
            throw Self.error(text, "it has more than \(Self.stageLimit) stages")
        }
        var (stages, duration) = ([Stage](), Duration.zero)
        for part in parts {
            let sides = part.split(separator: "/", omittingEmptySubsequences: false)
            guard sides.count == 2 else {
                throw Self.error(text, "write rates, `/` and a time in place of '\(part)'")
            }
            guard let rates = Self.rates(sides[0]) else {
                throw Self.error(
                    text, "write one rate or two with `..` between them in place of '\(sides[0])'")
            }
            guard let time = Self.time(sides[1]) else {
                throw Self.error(text, "write a time such as 60s in place of '\(sides[1])'")
            }
            stages.append(Stage(from: rates.from, to: rates.to, seconds: time / .seconds(1)))
            duration += time
        }
        try Self.check(stages, of: text)
        (self.text, self.duration, self.stages) = (trimmed, duration, stages)
    }

    var peak: Double { stages.reduce(0) { max($0, $1.from, $1.to) } }
    var firstRate: Double { stages[0].from }
    /// The mean number of requests: the integral of the rate.
    var requests: Double { stages.reduce(0) { $0 + $1.requests } }

    func part(among testers: Int) -> RateRamp { RateRamp(sharing: self, among: Double(testers)) }

    private init(sharing ramp: RateRamp, among testers: Double) {
        (text, duration) = (ramp.text, ramp.duration)
        stages = ramp.stages.map {
            Stage(from: $0.from / testers, to: $0.to / testers, seconds: $0.seconds)
        }
    }

    private static func check(_ stages: [Stage], of text: String) throws(PlanError) {
        for stage in stages {
            for rate in [stage.from, stage.to] where rate > LoadPlan.rateLimit {
                throw error(text, "a rate is at most \(Int(LoadPlan.rateLimit)) a second")
            }
        }
        guard stages.reduce(0, { $0 + $1.requests }) >= 1 else {
            throw error(text, "no request is due in it")
        }
    }

    private static func rates(_ text: Substring) -> (from: Double, to: Double)? {
        guard let dots = text.firstRange(of: "..") else {
            return number(text).map { ($0, $0) }
        }
        guard let from = number(text[..<dots.lowerBound]), let to = number(text[dots.upperBound...]) else {
            return nil
        }
        return (from, to)
    }

    /// Parses a number that consists of digits, and of a point between them at most.
    private static func number(_ text: Substring) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }),
            text.first?.isNumber == true, text.last?.isNumber == true
        else { return nil }
        return Double(text)
    }

    private static func time(_ text: Substring) -> Duration? {
        do {
            let time = try DurationText.parse(String(text))
            return time > .zero && time <= LoadPlan.durationLimit ? time : nil
        } catch {
            return nil
        }
    }

    private static func error(_ text: String, _ why: String) -> PlanError {
        PlanError("'\(text)' is not a ramp such as 100..5000/60s,5000/30s: \(why)")
    }
}

/// The times of requests on a rate that changes: the inverse of its integral.
struct RateCurve: Sendable {
    private let stages: [RateRamp.Stage]
    /// The current stage, and the length and the requests of those before it.
    private var index = 0
    private var secondsBefore = 0.0
    private var requestsBefore = 0.0

    init(perSecond rate: Double) { stages = [.init(from: rate, to: rate, seconds: .infinity)] }

    /// A ramp, after a time in which the rate is that of its beginning.
    init(_ ramp: RateRamp, after warmup: Duration) {
        let first = RateRamp.Stage(from: ramp.firstRate, to: ramp.firstRate, seconds: warmup / .seconds(1))
        stages = [first] + ramp.stages
    }

    /// Returns the time at which the mean number of requests is reached, in seconds; nil if it never is. The
    /// number is not less than in an earlier call.
    mutating func seconds(untilRequests requests: Double) -> Double? {
        while index < stages.count, requests - requestsBefore >= stages[index].requests {
            requestsBefore += stages[index].requests
            secondsBefore += stages[index].seconds
            index += 1
        }
        guard index < stages.count else { return nil }
        return secondsBefore + stages[index].seconds(untilRequests: requests - requestsBefore)
    }
}
