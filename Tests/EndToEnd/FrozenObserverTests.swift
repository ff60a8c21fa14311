import Circumstances
import Foundation
import Glibc
import Testing

extension EndToEnd {
    /// An observer that stands still while its fleet goes on.
    @Suite("A frozen observer")
    struct FrozenObserverTests {
        /// Changes a second: as many as a debug build on a busy machine carries, or as the environment says.
        private static let rate =
            ProcessInfo.processInfo.environment["SENSIBUS_FREEZE"].flatMap(Int.init) ?? 1_000
        /// Each device is switched by hand so often in a second.
        private static let changesPerDevice = 10

        @Test(
            "says that it is stale, is right again within 2 s of its thawing, and no other notices",
            .timeLimit(.minutes(2)))
        func frozen() async throws {
            try await Lab.withLab { lab in
                let churn = "\(lab.directory)/churn.yaml"
                let scenario = """
                    clock: {speed: \(Self.changesPerDevice)}
                    people: {hand-remotes-per-hour: 3600}
                    """
                try scenario.write(toFile: churn, atomically: true, encoding: .utf8)
                let devices = "\(Self.rate / Self.changesPerDevice)"
                let up = try await lab.fleet("up", "--detach", "--no-gateway", "--devices", devices, "--scenario", churn)
                try #require(up.status == 0, "fleet up: \(up.talk)")
                try await Watcher.with(lab, filter: "nobody") { other in
                    await other.sees { $0.kind == "resync" }
                    try await Watcher.with(lab, filter: "nobody") { frozen in
                        await frozen.sees { $0.kind == "resync" }
                        try await Self.freeze(frozen)
                    }
                    #expect(await other.count { $0.kind == "stale" } == 0)
                }
            }
        }

        private static func freeze(_ frozen: Watcher) async throws {
            let processID = try #require(await frozen.processID)
            try #require(kill(processID, SIGSTOP) == 0)
            await Pace.wait(.seconds(5))
            let clock = ContinuousClock()
            let thawed = clock.now
            try #require(kill(processID, SIGCONT) == 0)
            await frozen.sees { $0.kind == "stale" }
            await frozen.sees(2) { $0.kind == "resync" }
            let took = clock.now - thawed
            #expect(took <= .seconds(2).slowed)
            print(
                "measured: at \(rate) changes a second, frozen for 5 s, right again after \(took) (at most 2 s)"
            )
        }
    }
}
