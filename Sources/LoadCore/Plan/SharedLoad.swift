public import FleetProtocol

/// A load for several testers, as its coordinator sends it to them.
public struct SharedLoad: Equatable, Sendable {
    /// The longest measurement: each tester keeps the latencies of every second, up to 25 KB, which are added
    /// afterwards.
    static let durationLimit: Duration = .seconds(600)
    /// The longest delay of a tester's first request with equal gaps.
    private static let offsetLimit: Duration = .seconds(10)

    public let plan: LoadPlan
    public let selectors: [String]
    /// Whether no load of the same run follows.
    public let isLast: Bool

    /// A load for several testers; fails if they cannot share the plan.
    public init(_ plan: LoadPlan, selectors: [String], among testers: Int, isLast: Bool) throws(PlanError) {
        try Self.check(plan)
        switch plan.demand {
        case .inFlight(let count):
            guard count >= testers else {
                throw PlanError(
                    "\(count) in flight: expected one for each of the \(testers) testers at least")
            }
        case .rate(let rate, _):
            guard rate * (Self.offsetLimit / .seconds(1)) >= Double(testers) else {
                throw PlanError(
                    "\(rate) a second: expected one in 10 s for each of the \(testers) testers at least")
            }
        case .ramp(let ramp, let arrivals):
            guard arrivals == .poisson else {
                throw PlanError(
                    "several testers cannot share the equal gaps of a ramp: use --arrivals poisson")
            }
            guard ramp.requests >= Double(testers) else {
                throw PlanError(
                    "a ramp of \(Int(ramp.requests)) requests: expected one for each of the \(testers) testers "
                        + "at least")
            }
        }
        (self.plan, self.selectors, self.isLast) = (plan, selectors, isLast)
    }

    private static func check(_ plan: LoadPlan) throws(PlanError) {
        guard plan.duration <= durationLimit else {
            throw PlanError("with several testers a measurement lasts ten minutes at most")
        }
    }

    /// Returns the part of the plan that the tester with a number from 0 carries out; fails if that is empty.
    public func part(of number: Int, among testers: Int) throws(PlanError) -> LoadPlan {
        let demand: Demand =
            switch plan.demand {
            case .rate(let rate, let arrivals): .rate(perSecond: rate / Double(testers), arrivals)
            case .ramp(let ramp, let arrivals): .ramp(ramp.part(among: testers), arrivals)
            case .inFlight(let count):
                .inFlight(count / testers + (number < count % testers ? 1 : 0))
            }
        return try plan.with(
            demand, warmup: plan.warmup, duration: plan.duration,
            // Independent Poisson processes add up to one of the whole rate.
            seed: plan.seed &+ UInt64(number) &* 0x9e37_79b9_7f4a_7c15)
    }

    /// The delay of a tester's first request, so that equal gaps remain equal when all testers are added.
    public func offset(of number: Int, among testers: Int) -> Duration {
        guard case .rate(let rate, .uniform) = plan.demand, testers > 1 else { return .zero }
        let seconds = Double(number) / rate
        return seconds < Self.offsetLimit / .seconds(1) ? .seconds(seconds) : Self.offsetLimit
    }

    /// Returns the devices of a tester: no device has two, unless there are fewer devices than testers.
    public static func devices(_ devices: [DeviceID], of number: Int, among testers: Int) -> [DeviceID] {
        guard devices.count >= testers else { return devices }
        return stride(from: number, to: devices.count, by: testers).map { devices[$0] }
    }

    public var json: [UInt8] {
        Message(plan: LoadResult.Plan(plan, devices: 0), selectors: selectors, isLast: isLast).encoded()
    }

    public init(json: [UInt8]) throws(PlanError) {
        let message = try Message(
            decoding: json,
            orFail: "the load of the coordinator cannot be read: use the same version on all machines")
        plan = try message.plan.plan()
        try Self.check(plan)
        (selectors, isLast) = (message.selectors, message.isLast)
    }

    private struct Message: Codable {
        let plan: LoadResult.Plan
        let selectors: [String]
        let isLast: Bool
    }
}
