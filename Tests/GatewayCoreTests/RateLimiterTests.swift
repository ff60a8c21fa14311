import FleetTime
import Testing

@testable import GatewayCore

@Suite("The limit of requests")
struct RateLimiterTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: (1_000_000 + milliseconds) * 1_000_000)
    }

    @Test("lets five through in five seconds, and says when the next may come")
    func plain() {
        var limiter = RateLimiter<Int>()
        for second in Int64(0)..<5 {
            #expect(limiter.take(1, takesCompressed: false, at: at(second * 500)) == nil)
        }
        #expect(limiter.take(1, takesCompressed: false, at: at(3_000)) == .milliseconds(2_000))
        #expect(limiter.take(1, takesCompressed: false, at: at(4_999)) == .milliseconds(1))
        #expect(limiter.take(1, takesCompressed: false, at: at(5_000)) == nil)
        #expect(limiter.take(1, takesCompressed: false, at: at(5_000)) == .milliseconds(500))
    }

    @Test("lets ten through in ten seconds where answers are compressed")
    func compressed() {
        var limiter = RateLimiter<Int>()
        for _ in 0..<10 { #expect(limiter.take(1, takesCompressed: true, at: at(0)) == nil) }
        #expect(limiter.take(1, takesCompressed: true, at: at(9_999)) == .milliseconds(1))
        #expect(limiter.take(1, takesCompressed: true, at: at(10_000)) == nil)
    }

    @Test("counts both kinds of one key together, and each key by itself")
    func keys() {
        var limiter = RateLimiter<Int>()
        for _ in 0..<7 { #expect(limiter.take(1, takesCompressed: true, at: at(0)) == nil) }
        #expect(limiter.take(1, takesCompressed: false, at: at(100)) == .milliseconds(4_900))
        #expect(limiter.take(1, takesCompressed: true, at: at(100)) == nil)
        #expect(limiter.take(2, takesCompressed: false, at: at(100)) == nil)
    }

    @Test("keeps so many keys in mind, and gives the place of one that is quiet away")
    func bounded() {
        var limiter = RateLimiter<Int>(keysAtMost: 3)
        for key in 1...3 { #expect(limiter.take(key, takesCompressed: false, at: at(0)) == nil) }
        #expect(limiter.take(4, takesCompressed: false, at: at(9_999)) == .seconds(5))
        #expect(limiter.take(1, takesCompressed: false, at: at(9_999)) == nil)
        #expect(limiter.take(4, takesCompressed: false, at: at(10_000)) == nil)
        #expect(limiter.take(1, takesCompressed: false, at: at(10_000)) == nil)
    }
}
