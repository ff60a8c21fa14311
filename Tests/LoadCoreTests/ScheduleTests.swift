import FleetProtocol
import Glibc
import Testing

@testable import LoadCore

@Suite("Schedules of requests and devices")
struct ScheduleTests {
    private static let start = MonotonicTime(nanoseconds: 3_000_000_000)

    /// The first gaps of a schedule, in seconds.
    private func gaps(_ arrivals: Arrivals, perSecond rate: Double, count: Int, seed: UInt64 = 1) -> [Double]
    {
        var schedule = ArrivalSchedule(arrivals, at: RateCurve(perSecond: rate), from: Self.start, seed: seed)
        var last = Self.start
        return (0..<count).map { _ in
            let due = schedule.advance()
            defer { last = due }
            return last.duration(to: due) / .seconds(1)
        }
    }

    @Test("uniform arrivals have equal gaps, without drift", arguments: [3.0, 1_000, 70_000])
    func uniform(rate: Double) {
        let count = 100_000
        let gaps = gaps(.uniform, perSecond: rate, count: count + 1).dropFirst()
        #expect(gaps.allSatisfy { abs($0 * rate - 1) < 1e-9 * rate + 1e-6 })
        #expect(abs(gaps.reduce(0, +) * rate / Double(count) - 1) < 1e-6)
    }

    @Test("Poisson arrivals have the rate, and exponentially distributed gaps")
    func poisson() {
        let (rate, count) = (5_000.0, 200_000)
        let gaps = gaps(.poisson, perSecond: rate, count: count)
        let mean = gaps.reduce(0, +) / Double(count)
        // The mean of that many gaps deviates by 1/√count, rarely by four times that.
        #expect(abs(mean * rate - 1) < 4 / Double(count).squareRoot())
        // Exponential: the deviation is the mean, and the ratio of gaps above x is exp(-x).
        let variance = gaps.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(count)
        #expect(abs(variance.squareRoot() * rate - 1) < 0.02)
        for limit in [0.1, 1, 2, 4] {
            let part = Double(gaps.count { $0 * rate > limit }) / Double(count)
            #expect(abs(part - exp(-limit)) < 0.01)
        }
    }

    @Test("the same seed gives the same schedule, and another seed another")
    func seeds() {
        #expect(gaps(.poisson, perSecond: 10, count: 50) == gaps(.poisson, perSecond: 10, count: 50))
        #expect(gaps(.poisson, perSecond: 10, count: 50) != gaps(.poisson, perSecond: 10, count: 50, seed: 2))
    }

    @Test("a device is used again only after all others, in an order that depends on the seed")
    func round() {
        let devices = (0..<50).map { DeviceID(fleetSeed: 1, index: $0) }
        var round = DeviceRound(devices, seed: 4)
        let first = (0..<50).map { _ in round.next() }
        let second = (0..<50).map { _ in round.next() }
        #expect(Set(first) == Set(devices))
        #expect(first == second)
        #expect(first != devices)
        var other = DeviceRound(devices, seed: 5)
        #expect((0..<50).map { _ in other.next() } != first)
    }
}
