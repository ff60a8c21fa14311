import ArgumentParser
import LoadCore
import UserText

struct LoadOptions: ParsableArguments {
    static let sweepLimit = 100
    static let runLimit = 100
    /// The rate without `--rate`, in requests per second.
    static let defaultRate: Double = 1_000
    /// The duration without `--duration`.
    static let defaultDuration: Duration = .seconds(10)
    /// The connections without `--connections`; over HTTP each carries one request at a time.
    static let (busConnections, httpConnections) = (4, 64)

    @OptionGroup var interface: TargetOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Open loop: send this many toggles per second, regardless of replies (default: 1000).",
            valueName: "per second"))
    var rate: Double?

    @Option(
        name: .customLong("in-flight"), parsing: .unconditional,
        help: ArgumentHelp(
            "Closed loop: keep this many toggles in flight, to find the maximum throughput.",
            valueName: "count"))
    var inFlight: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Open loop at these rates, one after another.", valueName: "rate,rate,…"),
        transform: LoadOptions.rates)
    var sweep: [Double]?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Open loop at a rate that changes linearly, in stages with one rate or two each: 100..5000/60s,5000/30s.
            """, valueName: "from..to/duration,…"),
        transform: { text in try valid("--ramp: ") { try RateRamp(text) } })
    var ramp: RateRamp?

    @Option(help: "Arrival times of an open loop (default: poisson).")
    var arrivals: Arrivals?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Duration of the measurement (default: 10s).", valueName: "duration"),
        transform: { text in try valid { try DurationText.parse(text) } })
    var duration: Duration?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Warm-up before the measurement (default: 5s).", valueName: "duration"),
        transform: { text in try valid { try DurationText.parse(text) } })
    var warmup: Duration = .seconds(5)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            """
            Number of connections, 1 to \(LoadPlan.connectionLimit) (default: \(Self.busConnections); over \
            http \(Self.httpConnections), each with one request at a time).
            """, valueName: "count"))
    var connections: Int?

    @Option(
        name: .customLong("cancel-ratio"), parsing: .unconditional,
        help: ArgumentHelp("Fraction that is cancelled soon after sending: 0 to 1.", valueName: "part"))
    var cancelRatio: Double = 0

    @Option(
        name: .customLong("retry-ratio"), parsing: .unconditional,
        help: ArgumentHelp("Fraction that is sent again with the same ID: 0 to 1.", valueName: "part"))
    var retryRatio: Double = 0

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Kinds of requests with weights: toggle, set, read and cancel, such as toggle=6,set=2,read=1.",
            valueName: "kind=weight,…"),
        transform: { text in try valid("--mix: ") { try LoadMix(text) } })
    var mix: LoadMix?

    @Option(
        name: .customLong("repeat"), parsing: .unconditional,
        help: ArgumentHelp(
            "Run the load this many times; \(ChangeEstimate.fewestRuns) runs or more can be compared with others.",
            valueName: "count"))
    var runs = 1

    @OptionGroup var timeout: TimeoutOption

    @Option(help: "Random seed for arrivals, device order and mix.") var seed: UInt64 = 1

    func validate() throws {
        let demands = [
            ("--rate", rate != nil), ("--in-flight", inFlight != nil), ("--sweep", sweep != nil),
            ("--ramp", ramp != nil),
        ]
        let named = demands.filter(\.1).map(\.0)
        try require(named.count < 2, "give only one of \(named.joined(separator: " and "))")
        try require(
            ramp == nil || duration == nil, "--ramp has the duration of its stages: leave --duration out")
        try require(
            inFlight == nil || arrivals == nil,
            "--arrivals: a closed loop (--in-flight) sends when a reply arrives")
        try require(
            (1...Self.runLimit).contains(runs), "--repeat \(runs): 1 to \(Self.runLimit) are possible")
        try require(runs == 1 || sweep == nil, "give only one of --repeat and --sweep")
        try require(
            mix == nil || cancelRatio == 0, "--mix has cancel=WEIGHT: leave --cancel-ratio out")
        try require(mix == nil || retryRatio == 0, "--mix sends nothing twice: leave --retry-ratio out")
        if interface.target == .http {
            try require(
                mix?.kinds.contains(.cancel) != true,
                "--mix: Sensibo's API cannot cancel; leave cancel out, or use --target bus")
            try require(cancelRatio == 0, "--cancel-ratio: Sensibo's API cannot cancel; use --target bus")
            try require(
                retryRatio == 0, "--retry-ratio compares two replies of the bus; use --target bus")
        }
        _ = try valid { try plans() }
    }

    /// The plans of the loads: one for each run, or for each rate of a sweep.
    func plans() throws(PlanError) -> [LoadPlan] {
        if let sweep {
            var plans: [LoadPlan] = []
            for rate in sweep { plans.append(try plan(demand(rate), run: 0)) }
            return plans
        }
        let demand =
            ramp.map { .ramp($0, arrivals ?? .poisson) } ?? inFlight.map { .inFlight($0) }
            ?? demand(rate ?? Self.defaultRate)
        var plans: [LoadPlan] = []
        for run in 0..<max(1, runs) { plans.append(try plan(demand, run: run)) }
        return plans
    }

    private func demand(_ rate: Double) -> Demand { .rate(perSecond: rate, arrivals ?? .poisson) }

    /// Returns a plan; runs of one load differ in their arrivals and in the order of devices.
    private func plan(_ demand: Demand, run: Int) throws(PlanError) -> LoadPlan {
        try LoadPlan(
            demand, warmup: warmup, duration: ramp?.duration ?? duration ?? Self.defaultDuration,
            connections: connections
                ?? (interface.target == .http ? Self.httpConnections : Self.busConnections),
            cancelRatio: cancelRatio, retryRatio: retryRatio, mix: mix, timeout: timeout.duration,
            seed: seed &+ UInt64(run))
    }

    private static func rates(_ text: String) throws -> [Double] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let rates = parts.compactMap { Double($0) }
        try require(
            rates.count == parts.count && rates.count <= sweepLimit,
            "--sweep: expected 1 to \(sweepLimit) rates separated by commas, such as 1000,2000,5000")
        return rates
    }

}
