import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Use of sessions")
struct SessionUseTests {
    @Test("a session's use is stored once a day, not with every request")
    func storedUse() throws {
        let bench = try Bench.withDevices()
        let token = try #require(Bench.token)
        let hour = Duration.seconds(3_600)
        for _ in 0..<50 {
            bench.now = bench.now.advanced(by: hour)
            bench.ask(.status)
        }
        let start = WallTime(unixMilliseconds: 1_800_000_000_000)
        let uses = bench.effects.compactMap { effect -> WallTime? in
            guard case .store(.access(.sessionUsed(token, let time))) = effect else { return nil }
            return time
        }
        #expect(uses.count == 2)
        #expect(uses.allSatisfy { start.duration(to: $0) >= hour * 24 })
    }

    @Test(
        "sessions survive a restart a week after they were opened, unless they were idle for a week",
        arguments: [2, 8])
    func usedBeforeRestart(daysIdle: Int) throws {
        let day = Duration.seconds(86_400)
        let bench = try Bench { configuration in
            let opened = configuration.sessions[0]
            configuration.sessions[0] = .init(
                digest: opened.digest, email: opened.email,
                openedAt: opened.openedAt.advanced(by: .zero - day * 20),
                usedAt: opened.openedAt.advanced(by: .zero - day * daysIdle))
        }
        #expect((bench.refusal(of: bench.ask(.status)) == nil) == (daysIdle < 7))
    }
}
