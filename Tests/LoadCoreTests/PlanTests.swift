import FleetProtocol
import Testing

@testable import LoadCore

@Suite("Plans of a load")
struct PlanTests {
    @Test("a valid plan has the given values")
    func plan() throws {
        let plan = try LoadPlan(
            .rate(perSecond: 5_000, .poisson), warmup: .seconds(5), duration: .seconds(30), connections: 4,
            cancelRatio: 0.1, retryRatio: 0.9, timeout: .seconds(2), seed: 9)
        #expect(plan.demand == .rate(perSecond: 5_000, .poisson))
        #expect(plan.connections == 4)
    }

    @Test(
        "invalid rates, numbers and times are refused with a reason",
        arguments: [
            (Demand.rate(perSecond: 0, .uniform), "a rate of 0 a second"),
            (.rate(perSecond: -5, .uniform), "a rate of -5 a second"),
            (.rate(perSecond: .nan, .uniform), "a rate of nan"),
            (.rate(perSecond: .infinity, .uniform), "a rate of inf"),
            (.rate(perSecond: 1_000_001, .uniform), "at most 1000000"),
            (.inFlight(0), "0 in flight"), (.inFlight(-1), "-1 in flight"),
            (.inFlight(4_097), "1 to 4096"),
        ])
    func demand(demand: Demand, text: String) {
        expectRefusal(text) { try LoadPlan(demand, duration: .seconds(1)) }
    }

    @Test("invalid durations and ratios are refused with a reason")
    func others() {
        let demand = Demand.inFlight(1)
        let refused: [(String, () throws -> LoadPlan)] = [
            (
                "a duration of 0 s: expected above 0 s, at most 86400 s",
                { try LoadPlan(demand, duration: .zero) }
            ),
            ("a duration of", { try LoadPlan(demand, duration: .seconds(-3)) }),
            ("a warm-up of", { try LoadPlan(demand, warmup: .seconds(-1), duration: .seconds(1)) }),
            ("0 connections", { try LoadPlan(demand, duration: .seconds(1), connections: 0) }),
            ("65 connections", { try LoadPlan(demand, duration: .seconds(1), connections: 65) }),
            ("-0.1", { try LoadPlan(demand, duration: .seconds(1), cancelRatio: -0.1) }),
            ("1.5", { try LoadPlan(demand, duration: .seconds(1), retryRatio: 1.5) }),
            (
                "together they are at most 1",
                { try LoadPlan(demand, duration: .seconds(1), cancelRatio: 0.6, retryRatio: 0.6) }
            ),
            ("a timeout of", { try LoadPlan(demand, duration: .seconds(1), timeout: .seconds(31)) }),
        ]
        for (text, make) in refused {
            expectRefusal(text) { try make() }
        }
    }

    @Test(
        "an objective is a percentile and a time",
        arguments: [
            ("p99<5ms", 99, 5_000, false), ("p99.9<=10ms", 99.9, 10_000, true),
            ("max<50ms", 100, 50_000, false),
            ("p50 < 200us", 50, 200, false), ("p90<1.5s", 90, 1_500_000, false), ("p50<=80µs", 50, 80, true),
        ])
    func objective(text: String, percentile: Double, limitUs: Double, isInclusive: Bool) throws {
        let objective = try Objective(text)
        #expect(objective.percentile == percentile)
        #expect(objective.limitUs == limitUs)
        #expect(objective.isInclusive == isInclusive)
    }

    @Test(
        "an invalid objective is refused",
        arguments: [
            "", "p99", "p99<", "p99<5", "p99<5m", "p99>5ms", "p100<5ms", "p0<5ms", "p-1<5ms", "pp<5ms",
            "min<5ms",
            "p99<0ms", "p99<-1ms", "p99<5ms<6ms", "p99<==5ms", "p99<5e3ms", "99<5ms", "p99<nan ms",
        ])
    func noObjective(text: String) {
        expectRefusal("is not an objective") { try Objective(text) }
    }
}
