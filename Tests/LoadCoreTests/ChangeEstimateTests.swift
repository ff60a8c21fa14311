import FleetProtocol
import Testing

@testable import LoadCore

@Suite("A change told from noise")
struct ChangeEstimateTests {
    /// Returns the figures of runs that scatter around a value by a relative standard deviation.
    private func runs(
        _ count: Int, of value: Double, scatter: Double, using random: inout SeededGenerator
    ) -> [Double] {
        (0..<count).map { _ in
            // The sum of twelve uniform numbers is almost normal, with a variance of 1.
            let normal = (0..<12).reduce(-6.0) { sum, _ in sum + Double.random(in: 0..<1, using: &random) }
            return value * (1 + scatter * normal)
        }
    }

    /// Fewer than the command takes, as hundreds of intervals are estimated.
    private static let resamples = 1_000

    @Test("an interval of 7 + 7 runs contains the true change in 93 to 98 of 100 cases")
    func coverage() throws {
        var random = SeededGenerator(seed: 3)
        var covered = 0
        let cases = 400
        for _ in 0..<cases {
            let before = runs(7, of: 200, scatter: 0.05, using: &random)
            let now = runs(7, of: 206, scatter: 0.05, using: &random)
            let estimate = try #require(ChangeEstimate(from: before, to: now, resamples: Self.resamples))
            if (estimate.low...estimate.high).contains(0.03) { covered += 1 }
        }
        #expect((372...392).contains(covered), "\(covered) of \(cases)")
    }

    @Test("no change in 7 pairs of runs is called a change in fewer than 7 of 100 cases")
    func noChange() throws {
        var random = SeededGenerator(seed: 4)
        let cases = 400
        let called = try (0..<cases).filter { _ in
            let ratios = runs(7, of: 1, scatter: 0.02, using: &random)
            let estimate = ChangeEstimate(ratios: ratios, resamples: Self.resamples)
            return try #require(estimate).verdict != .undecided
        }
        #expect(called.count < 28, "\(called.count) of \(cases)")
    }

    @Test("pairs of runs show 3 % although the machine's speed changes by half between the pairs")
    func pairs() throws {
        var random = SeededGenerator(seed: 5)
        let speeds = (0..<7).map { _ in Double.random(in: 1..<1.5, using: &random) }
        let before = speeds.map { 200 * $0 }
        let now = zip(before, runs(7, of: 1.03, scatter: 0.01, using: &random)).map { $0 * $1 }
        let paired = try #require(ChangeEstimate(ratios: zip(now, before).map { $0 / $1 }))
        #expect(paired.verdict == .higher && abs(paired.change - 0.03) < 0.01)
        let unpaired = try #require(ChangeEstimate(from: before, to: now))
        #expect(unpaired.verdict == .undecided && unpaired.margin > 5 * paired.margin)
    }

    @Test("too few runs, and figures that are not positive, give no estimate")
    func noEstimate() {
        #expect(ChangeEstimate(from: [1, 2, 3, 4], to: [1, 2, 3, 4, 5]) == nil)
        #expect(ChangeEstimate(ratios: [1, 1, 1, 1]) == nil)
        #expect(ChangeEstimate(ratios: [1, 1, 0, 1, 1]) == nil)
        #expect(ChangeEstimate(ratios: [1, 1, .infinity, 1, 1]) == nil)
    }

    @Test("equal runs have an interval without width")
    func equalRuns() throws {
        let estimate = try #require(ChangeEstimate(ratios: [1, 1, 1, 1, 1]))
        #expect(estimate.change == 0 && estimate.margin == 0 && estimate.verdict == .undecided)
    }
}
