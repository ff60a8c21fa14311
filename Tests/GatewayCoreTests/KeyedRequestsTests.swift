import FleetProtocol
import FleetTime
import Testing

@testable import GatewayCore

@Suite("Idempotency keys")
struct KeyedRequestsTests {
    private static let start = WallTime(unixMilliseconds: 1_769_860_801_000)

    private static func after(_ time: Duration) -> WallTime { start.advanced(by: time) }

    private static func entry(
        _ key: UInt64, of account: UInt64 = 1, content: UInt64 = 1, at time: WallTime = start
    ) -> KeyedRequests.Entry {
        var generator = SeededGenerator(seed: key &* 31 &+ account)
        return KeyedRequests.Entry(
            account: .init(high: account, low: 0), key: .init(high: account, low: key),
            content: .init(high: content, low: 0), requestID: RequestID(at: time, using: &generator))
    }

    @Test("a key stands for one request, and other content with it is refused")
    func known() {
        var keys = KeyedRequests()
        let first = Self.entry(1)
        #expect(keys.claim(first, at: Self.start) == .new)
        let later = Self.after(.seconds(60 * 60))
        #expect(keys.claim(Self.entry(1, at: later), at: later) == .known(first.requestID))
        #expect(keys.claim(Self.entry(1, content: 2, at: later), at: later) == .otherContent)
        #expect(keys.claim(Self.entry(1, of: 2, content: 2), at: later) == .new)
        #expect(keys.count == 2)
    }

    @Test("a key is forgotten after a day")
    func lifetime() {
        var keys = KeyedRequests()
        #expect(keys.claim(Self.entry(1), at: Self.start) == .new)
        let almost = Self.after(KeyedRequests.lifetime - .milliseconds(1))
        #expect(keys.claim(Self.entry(1, content: 2), at: almost) == .otherContent)
        let over = Self.after(KeyedRequests.lifetime)
        #expect(keys.claim(Self.entry(1, content: 2, at: over), at: over) == .new)
    }

    @Test("new keys of an account replace its older ones, once these are a minute old")
    func displaced() {
        var keys = KeyedRequests(keysOfAccount: 2, keysInAll: 10)
        for key in 1...2 as ClosedRange<UInt64> { _ = keys.claim(Self.entry(key), at: Self.start) }
        #expect(keys.claim(Self.entry(1, of: 2), at: Self.start) == .new)
        let early = Self.after(.seconds(59))
        #expect(keys.claim(Self.entry(3), at: early) == .full(retryAfter: .seconds(1)))
        let later = Self.after(.seconds(60))
        #expect(keys.claim(Self.entry(3, at: later), at: later) == .new)
        #expect(keys.claim(Self.entry(2), at: later) == .known(Self.entry(2).requestID))
        #expect(keys.claim(Self.entry(1, of: 2), at: later) == .known(Self.entry(1, of: 2).requestID))
        #expect(keys.count == 3)
    }

    @Test("in a full table, keys of the account with the most make room for another's")
    func fair() {
        var keys = KeyedRequests(keysOfAccount: 4, keysInAll: 4)
        for key in 1...3 as ClosedRange<UInt64> { _ = keys.claim(Self.entry(key), at: Self.start) }
        _ = keys.claim(Self.entry(1, of: 2), at: Self.start)
        let later = Self.after(.seconds(60))
        #expect(keys.claim(Self.entry(1, of: 3, at: later), at: later) == .new)
        #expect(keys.claim(Self.entry(1, of: 2), at: later) == .known(Self.entry(1, of: 2).requestID))
        #expect(
            Set(keys.all) == [
                Self.entry(2), Self.entry(3), Self.entry(1, of: 2), Self.entry(1, of: 3, at: later),
            ])
    }

    @Test("a key that could not be written is removed again")
    func withdrawn() {
        var keys = KeyedRequests()
        _ = keys.claim(Self.entry(1), at: Self.start)
        _ = keys.claim(Self.entry(2), at: Self.start)
        keys.withdraw(Self.entry(2))
        #expect(keys.all == [Self.entry(1)])
        #expect(keys.claim(Self.entry(2, content: 2), at: Self.start) == .new)
    }

    @Test(
        "a key is visible ASCII of at most 255 characters",
        arguments: [
            ("", false), ("a", true), ("\u{7f}", false), ("a b", false), ("é", false),
            (String(repeating: "x", count: 255), true), (String(repeating: "x", count: 256), false),
            ("0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07", true),
        ])
    func texts(text: String, isKey: Bool) {
        #expect(((try? IdempotencyKey(text)) != nil) == isKey)
    }
}
