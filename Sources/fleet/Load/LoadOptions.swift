import ArgumentParser
import LoadCore
import UserText

/// How much `fleet load` asks for, and how it is spread.
struct LoadOptions: ParsableArguments {
    /// The most rates of a sweep.
    static let sweepLimit = 100
    /// The rate that nobody named, requests a second.
    static let defaultRate: Double = 1_000

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Open loop: so many toggles a second, however long the answers take (default: 1000).",
            valueName: "per second"))
    var rate: Double?

    @Option(
        name: .customLong("in-flight"), parsing: .unconditional,
        help: ArgumentHelp(
            "Closed loop: so many on their way at any time, to find how much can be carried.",
            valueName: "count"))
    var inFlight: Int?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Open loop at one rate after the other.", valueName: "rate,rate,…"),
        transform: LoadOptions.rates)
    var sweep: [Double]?

    @Option(help: "How an open loop's toggles are spread over time (default: poisson).")
    var arrivals: Arrivals?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long is measured (default: 10s).", valueName: "duration"),
        transform: LoadOptions.duration)
    var duration: Duration = .seconds(10)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("How long is loaded before that (default: 5s).", valueName: "duration"),
        transform: LoadOptions.duration)
    var warmup: Duration = .seconds(5)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Over how many connections: 1 to \(LoadPlan.connectionLimit).", valueName: "count")
    )
    var connections = 4

    @Option(
        name: .customLong("cancel-ratio"), parsing: .unconditional,
        help: ArgumentHelp("Which part is taken back soon after it left: 0 to 1.", valueName: "part"))
    var cancelRatio: Double = 0

    @Option(
        name: .customLong("retry-ratio"), parsing: .unconditional,
        help: ArgumentHelp("Which part is sent a second time under its id: 0 to 1.", valueName: "part"))
    var retryRatio: Double = 0

    @OptionGroup var timeout: TimeoutOption

    @Option(help: "What arrivals, the devices' order and the mix follow from.") var seed: UInt64 = 1

    func validate() throws {
        let demands = [("--rate", rate != nil), ("--in-flight", inFlight != nil), ("--sweep", sweep != nil)]
        let named = demands.filter(\.1).map(\.0)
        try require(named.count < 2, "\(named.joined(separator: " and ")): a load is one of them")
        guard inFlight == nil || arrivals == nil else {
            throw ValidationError("--arrivals: a closed loop (--in-flight) asks when an answer makes room")
        }
        do {
            _ = try plans()
        } catch {
            throw ValidationError("\(error)")
        }
    }

    /// The loads that are meant: one, or one for each rate of a sweep.
    ///
    /// - Throws: The first thing that is wrong with them.
    func plans() throws(PlanError) -> [LoadPlan] {
        if let inFlight { return [try plan(.inFlight(inFlight))] }
        var plans: [LoadPlan] = []
        for rate in sweep ?? [rate ?? Self.defaultRate] {
            plans.append(try plan(.rate(perSecond: rate, arrivals ?? .poisson)))
        }
        return plans
    }

    private func plan(_ demand: Demand) throws(PlanError) -> LoadPlan {
        try LoadPlan(
            demand, warmup: warmup, duration: duration, connections: connections, cancelRatio: cancelRatio,
            retryRatio: retryRatio, patience: timeout.patience, seed: seed)
    }

    private static func rates(_ text: String) throws -> [Double] {
        let parts = text.split(separator: ",", omittingEmptySubsequences: false)
        let rates = parts.compactMap { Double($0) }
        guard rates.count == parts.count, rates.count <= sweepLimit else {
            throw ValidationError(
                "a sweep is 1 to \(sweepLimit) rates with commas between, such as 1000,2000,5000")
        }
        return rates
    }

    private static func duration(_ text: String) throws -> Duration {
        do {
            return try DurationText.parse(text)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
