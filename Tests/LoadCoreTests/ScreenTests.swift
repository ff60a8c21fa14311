import FleetProtocol
import Testing
import UserText

@testable import LoadCore

@Suite("The live lines of a load")
struct ScreenTests {
    /// The progress after a time, with the same latency for all toggles.
    private static func progress(
        after seconds: Double, offered: Int, applied: Int? = nil, outcomes: [String: Int] = [:],
        recent: Duration? = .milliseconds(2), whole: Duration = .milliseconds(3)
    ) -> LoadProgress {
        var (last, all) = (LatencyRecord(), LatencyRecord())
        if let recent { last.record(recent) }
        all.record(whole)
        return LoadProgress(
            elapsed: .milliseconds(Int64(seconds * 1_000)), duration: .seconds(60), inFlight: 17,
            totals: .init(
                offered: offered, applied: applied ?? offered, failed: 0, outcomes: outcomes,
                recent: last.figures, whole: all.figures))
    }

    private static func screen(_ steps: [LoadProgress], title: String = "1,000/s, poisson") -> LoadScreen {
        var screen = LoadScreen(title: title)
        for step in steps { screen.receive(step) }
        return screen
    }

    @Test("the lines have time, rates, latencies, errors by frequency, and plots of the last seconds")
    func lines() {
        let screen = Self.screen([
            Self.progress(after: 0, offered: 0, recent: nil),
            Self.progress(after: 1, offered: 1_000, recent: .milliseconds(1)),
            Self.progress(after: 2, offered: 1_000, recent: nil),
            Self.progress(
                after: 3, offered: 3_000, applied: 1_500,
                outcomes: ["applied": 1_500, "busy": 2, "offline": 40, "aborted": 2, "cancelled": 99],
                recent: .milliseconds(8)),
        ])
        #expect(
            screen.lines(width: 79) == [
                "1,000/s, poisson: 3s of 1m", "offered 2,000/s  applied 500/s  17 in flight",
                "LATENCY          P50      P99    P99.9",
                "last second  8.00 ms  8.00 ms  8.00 ms",
                "since start  3.00 ms  3.00 ms  3.00 ms",
                "errors   offline 40, aborted 2, busy 2",
                "applied  █▁▅  max 1,000/s", "p99      ▂ █  max 8.00 ms",
            ])
    }

    @Test("in 40 columns every line fits, and the plots have as many seconds as fit")
    func narrow() {
        let outcomes = ["offline": 123_456, "connectionLost": 12_345, "unexpectedReply": 1_234]
        let screen = Self.screen(
            (0...80).map { Self.progress(after: Double($0), offered: $0 * 123_456, outcomes: outcomes) },
            title: "run 12 of 100, 123,456/s, poisson")
        let lines = screen.lines(width: 39)
        #expect(lines.allSatisfy { DisplayWidth.of($0) <= 39 }, "\(lines)")
        #expect(lines.first == "run 12 of 100, 123,456/s, poisson: 1m …")
        #expect(lines[1...2] == ["offered 123,456/s  applied 123,456/s", "17 in flight"])
        #expect(lines.last == "p99      " + String(repeating: "█", count: 30))
        // A wide terminal has a minute of them.
        #expect(
            screen.lines(width: 120).last == "p99      " + String(repeating: "█", count: 60) + "  max 2.00 ms"
        )
    }

    @Test("the measurement begins with new totals, and its first moment does not count as a second")
    func phases() {
        var screen = Self.screen([
            Self.progress(after: -2, offered: 0), Self.progress(after: -1, offered: 900),
        ])
        #expect(
            screen.lines(width: 79)[0...1] == [
                "1,000/s, poisson: warm-up", "offered 900/s  applied 900/s  17 in flight",
            ])
        screen.receive(Self.progress(after: 0.001, offered: 1))
        #expect(
            screen.lines(width: 79)[0...1] == [
                "1,000/s, poisson: 0s of 1m", "offered 900/s  applied 900/s  17 in flight",
            ])
        screen.receive(Self.progress(after: 1, offered: 400))
        #expect(screen.lines(width: 79)[1].hasPrefix("offered 400/s"))
        #expect(screen.lines(width: 79).last == "p99      ██  max 2.00 ms")
    }

    @Test("a load after another one starts with new plots")
    func nextLoad() {
        let screen = Self.screen([
            Self.progress(after: 0, offered: 0), Self.progress(after: 1, offered: 10),
            Self.progress(after: 0, offered: 0), Self.progress(after: 1, offered: 20),
        ])
        #expect(screen.lines(width: 79)[1].hasPrefix("offered 20.0/s"))
        #expect(screen.lines(width: 79).last == "p99      █  max 2.00 ms")
    }

    @Test("before a second is over there are no rates, and before any progress no lines")
    func beginning() {
        #expect(LoadScreen(title: "").lines(width: 79).isEmpty)
        let lines = Self.screen([Self.progress(after: 0, offered: 0, recent: nil)], title: "")
            .lines(width: 79)
        #expect(lines[0...1] == ["0s of 1m", "offered –  applied –  17 in flight"])
        #expect(lines.last == "errors   none")
    }

    @Test("several testers have the sums of their counts, and the highest latencies")
    func shared() {
        func testers(_ count: UInt64) -> [TesterProgress] {
            [(count, 0, 700), (count * 2, 5, 4_000)].map {
                TesterProgress(offered: $0.0, applied: $0.0, failed: $0.1, inFlight: 4, p50Us: 0, p99Us: $0.2)
            }
        }
        var screen = LoadScreen(title: "300/s, poisson", isShared: true)
        for second in [1, 2] as [UInt64] {
            screen.receive(
                LoadProgress(of: testers(second * 100), elapsed: .seconds(second), duration: .seconds(9)))
        }
        #expect(
            screen.lines(width: 79) == [
                "300/s, poisson: 2s of 9s", "offered 300/s  applied 300/s  8 in flight",
                "LATENCY                   P50      P99", "last second, at most        –  4.00 ms",
                "errors   5", "applied  █  max 300/s", "p99      █  max 4.00 ms",
            ])
    }
}
