import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// An observer that is stopped while its fleet changes.
    @Suite("A frozen observer", .timeLimit(.minutes(2)))
    struct FrozenObserverTests {
        /// Changes per second: as many as a debug build on a busy machine can process, or from the
        /// environment.
        private static let rate =
            ProcessInfo.processInfo.environment["SENSIBUS_FREEZE"].flatMap(Int.init) ?? 1_000
        /// The number of hand-remote changes of each device per second.
        private static let changesPerDevice = 10

        @Test("a frozen observer shows that it is stale, and is consistent within 2 s of continuing")
        func frozen() async throws {
            let scenario = """
                clock: {speed: \(Self.changesPerDevice)}
                people: {hand-remotes-per-hour: 3600}
                """
            let devices = Self.rate / Self.changesPerDevice
            try await Lab.withFleet(devices: devices, scenario: scenario) { lab in
                let (took, noticed) = try await attempt(until: { $0 <= .seconds(2).slowed && $1 == 0 }) {
                    try await Self.freezeOneOfTwo(in: lab)
                }
                #expect(took <= .seconds(2).slowed)
                #expect(noticed == 0)
                print(
                    "measured: at \(Self.rate) changes a second, frozen for 5 s, right again after "
                        + "\(took) (at most 2 s)")
            }
        }

        /// The time until one observer was consistent, and the number of stale notices of the other.
        private static func freezeOneOfTwo(in lab: Lab) async throws -> (took: Duration, noticed: Int) {
            try await TestObserver.with(lab, filter: "nobody") { other in
                let took = try await TestObserver.with(lab, filter: "nobody") { try await freeze($0) }
                return (took, await other.count { $0.kind == "stale" })
            }
        }

        /// Freezes an observer for 5 s; returns the time until it is consistent again.
        private static func freeze(_ frozen: TestObserver) async throws -> Duration {
            let processID = try #require(await frozen.processID)
            try #require(kill(processID, SIGSTOP) == 0)
            await Pace.wait(.seconds(5))
            let clock = ContinuousClock()
            let thawed = clock.now
            try #require(kill(processID, SIGCONT) == 0)
            await frozen.sees { $0.kind == "stale" }
            await frozen.sees(2) { $0.kind == "resync" }
            return clock.now - thawed
        }
    }
}
