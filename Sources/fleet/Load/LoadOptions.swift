import ArgumentParser
import LoadCore
import ProcessSupport
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
        help: .value(
            "per second",
            "Open loop: send this many toggles per second, regardless of replies (default: 1000)."))
    var rate: Double?

    @Option(
        parsing: .unconditional,
        help: .value(
            "count", "Closed loop: keep this many toggles in flight, to find the maximum throughput."))
    var inFlight: Int?

    @Option(
        parsing: .unconditional, help: .value("rate,rate,…", "Open loop at these rates, one after another."),
        transform: LoadOptions.rates)
    var sweep: [Double]?

    @Option(
        parsing: .unconditional,
        help: .value(
            "from..to/duration,…",
            """
            Open loop at a rate that changes linearly, in stages with one rate or two each: 100..5000/60s,5000/30s.
            """),
        transform: { text in try valid("--ramp: ") { try RateRamp(text) } })
    var ramp: RateRamp?

    @Option(help: "Arrival times of an open loop (default: poisson).") var arrivals: Arrivals?

    @Option(
        parsing: .unconditional, help: "Duration of the measurement (default: 10s).",
        transform: { text in try valid { try DurationText.parse(text) } })
    var duration: Duration?

    @Option(
        parsing: .unconditional, help: .value("duration", "Warm-up before the measurement (default: 5s)."),
        transform: { text in try valid { try DurationText.parse(text) } })
    var warmup: Duration = .seconds(5)

    @Option(
        parsing: .unconditional,
        help: .value(
            "count",
            "Number of connections, 1 to \(LoadPlan.connectionLimit) (default: \(Self.busConnections); over "
                + "http \(Self.httpConnections), each with one request at a time)."))
    var connections: Int?

    @Option(
        parsing: .unconditional,
        help: .value("part", "Fraction that is cancelled soon after sending: 0 to 1."))
    var cancelRatio: Double = 0

    @Option(
        parsing: .unconditional,
        help: .value("part", "Fraction that is sent again with the same ID: 0 to 1."))
    var retryRatio: Double = 0

    @Option(
        parsing: .unconditional,
        help: .value(
            "kind=weight,…",
            "Kinds of requests with weights: toggle, set, read and cancel, such as toggle=6,set=2,read=1."),
        transform: { text in try valid("--mix: ") { try LoadMix(text) } })
    var mix: LoadMix?

    @Option(
        name: .customLong("repeat"), parsing: .unconditional,
        help: .value(
            "count",
            "Run the load this many times; \(ChangeEstimate.fewestRuns) runs or more can be compared with others."
        ))
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
        try require(mix == nil || cancelRatio == 0, "--mix has cancel=WEIGHT: leave --cancel-ratio out")
        try require(mix == nil || retryRatio == 0, "--mix sends nothing twice: leave --retry-ratio out")
        if interface.target == .http {
            try require(
                mix?.kinds.contains(.cancel) != true,
                "--mix: Sensibo's API cannot cancel; leave cancel out, or use --target bus")
            try require(cancelRatio == 0, "--cancel-ratio: Sensibo's API cannot cancel; use --target bus")
            try require(retryRatio == 0, "--retry-ratio compares two replies of the bus; use --target bus")
        }
        _ = try valid { try plans() }
    }

    /// The plans of the loads: one for each run, or for each rate of a sweep.
    func plans() throws(PlanError) -> [LoadPlan] {
        if let sweep {
            return try sweep.map { rate throws(PlanError) in try plan(openLoop(rate), run: 0) }
        }
        let demand =
            ramp.map { .ramp($0, arrivals ?? .poisson) } ?? inFlight.map { .inFlight($0) }
            ?? openLoop(rate ?? Self.defaultRate)
        return try (0..<max(1, runs)).map { run throws(PlanError) in try plan(demand, run: run) }
    }

    private func openLoop(_ rate: Double) -> Demand { .rate(perSecond: rate, arrivals ?? .poisson) }

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

enum LoadInterface: String, CaseIterable, ExpressibleByArgument, Sendable {
    /// The wire protocol over ZeroMQ, to the controller.
    case bus
    case http
}

struct TargetOptions: ParsableArguments {
    @Option(
        help: "Send toggles over the bus, or as an integrator does: POST /api/v2/pods/ID/acStates over http.")
    var target = LoadInterface.bus

    @Option(
        help: "The gateway for --target http, http or https (default: that of the fleet).",
        transform: TargetOptions.url)
    var url: GatewayURL?

    @Option(
        help: .value("file", "Certificates to trust for an https URL, PEM (default: those of the system)."))
    var ca: String?

    func validate() throws {
        try require(url == nil || target == .http, "--url is for --target http")
        try require(ca == nil || url?.isSecure == true, "--ca is for a --url with https")
    }

    /// The gateway of a load over HTTP; nil for a load over the bus.
    func gateway(in surroundings: Surroundings) -> LoadedGateway? {
        guard target == .http else { return nil }
        return LoadedGateway(url: url, certificates: ca.map { OutputFile($0, in: surroundings).path })
    }

    private static func url(_ text: String) throws -> GatewayURL {
        try GatewayURL(text).orInvalid("'\(text)' is not a gateway's URL such as http://127.0.0.1:8701")
    }
}

struct LoadedGateway: Equatable, Sendable {
    let url: GatewayURL?
    /// A file with the certificates to trust; nil for those of the system.
    let certificates: String?

    /// The URL, with that of the fleet as the default.
    func url(in directory: RunDirectory) throws -> GatewayURL {
        if let url { return url }
        guard let url = FleetGateway.url(in: directory).flatMap({ GatewayURL($0) }) else {
            throw CommandFailure(
                .absent, "the fleet in \(directory) has no gateway",
                advice: "start it without --no-gateway, or give the --url of a gateway")
        }
        return url
    }
}
