import FleetProtocol
import ProcessSupport
import Testing

@Suite("SystemClock")
struct SystemClockTests {
    @Test("the monotonic clock never goes back")
    func monotonicNeverGoesBack() {
        let clock = SystemClock()
        var last = clock.now().monotonic
        for _ in 0..<1_000 {
            let now = clock.now().monotonic
            #expect(now >= last)
            last = now
        }
    }

    @Test("the wall clock counts milliseconds since 1970")
    func wallCountsMilliseconds() {
        let year2026 = WallTime(unixMilliseconds: 1_767_225_600_000)
        let year2100 = WallTime(unixMilliseconds: 4_102_444_800_000)
        #expect((year2026...year2100).contains(SystemClock().now().wall))
    }
}
