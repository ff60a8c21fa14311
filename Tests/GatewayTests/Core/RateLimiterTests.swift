import FleetProtocol
import Testing

@testable import GatewayCore

@Suite("The rate limit")
struct RateLimiterTests {
    private func at(_ milliseconds: Int64) -> MonotonicTime {
        MonotonicTime(nanoseconds: (1_000_000 + milliseconds) * 1_000_000)
    }

    @Test("a key has five requests in five seconds, and a refusal has the time of the next one")
    func plain() {
        var limiter = RateLimiter<Int>()
        for second in Int64(0)..<5 {
            #expect(limiter.admit(1, takesCompressed: false, at: at(second * 500)) == nil)
        }
        #expect(limiter.admit(1, takesCompressed: false, at: at(3_000)) == .milliseconds(2_000))
        #expect(limiter.admit(1, takesCompressed: false, at: at(4_999)) == .milliseconds(1))
        #expect(limiter.admit(1, takesCompressed: false, at: at(5_000)) == nil)
        #expect(limiter.admit(1, takesCompressed: false, at: at(5_000)) == .milliseconds(500))
    }

    @Test("a key has ten requests in ten seconds with compressed answers")
    func compressed() {
        var limiter = RateLimiter<Int>()
        for _ in 0..<10 { #expect(limiter.admit(1, takesCompressed: true, at: at(0)) == nil) }
        #expect(limiter.admit(1, takesCompressed: true, at: at(9_999)) == .milliseconds(1))
        #expect(limiter.admit(1, takesCompressed: true, at: at(10_000)) == nil)
    }

    @Test("both kinds of a key's requests count together, and keys are independent")
    func keys() {
        var limiter = RateLimiter<Int>()
        for _ in 0..<7 { #expect(limiter.admit(1, takesCompressed: true, at: at(0)) == nil) }
        #expect(limiter.admit(1, takesCompressed: false, at: at(100)) == .milliseconds(4_900))
        #expect(limiter.admit(1, takesCompressed: true, at: at(100)) == nil)
        #expect(limiter.admit(2, takesCompressed: false, at: at(100)) == nil)
    }

    @Test("the number of keys is bounded, and a quiet key's place is reused")
    func bounded() {
        var limiter = RateLimiter<Int>(keysAtMost: 3)
        for key in 1...3 { #expect(limiter.admit(key, takesCompressed: false, at: at(0)) == nil) }
        #expect(limiter.admit(4, takesCompressed: false, at: at(9_999)) == .seconds(5))
        #expect(limiter.admit(1, takesCompressed: false, at: at(9_999)) == nil)
        #expect(limiter.admit(4, takesCompressed: false, at: at(10_000)) == nil)
        #expect(limiter.admit(1, takesCompressed: false, at: at(10_000)) == nil)
    }
}
