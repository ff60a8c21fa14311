import FleetProtocol
import Testing

@testable import GatewayCore

@Suite("Idempotency keys")
struct KeyedRequestsTests {
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_769_860_801_000))
    private static let now = start.monotonic

    private static func after(_ time: Duration) -> MonotonicTime { now.advanced(by: time) }

    /// A key of an account's user, or of an API key of that user.
    private static func entry(
        _ key: UInt64, of account: UInt64 = 1, _ user: UInt64 = 1, _ apiKey: UInt64 = 0, content: UInt64 = 1
    ) -> KeyedRequests.Entry {
        let caller = KeyedRequests.Digest(
            account: .init(high: account, low: 0), user: .init(high: user << 32, low: 0),
            key: .init(high: apiKey + 1, low: 0))
        var generator = SeededGenerator(seed: key)
        return KeyedRequests.Entry(
            caller: caller, key: .init(high: caller.high << 32 | caller.low >> 16 | apiKey, low: key),
            content: .init(high: content, low: 0), requestID: RequestID(at: start.wall, using: &generator))
    }

    @Test("a key stands for one request, and other content with it is refused")
    func known() {
        var keys = KeyedRequests()
        let first = Self.entry(1)
        #expect(keys.claim(first, at: Self.now) == .new)
        let later = Self.after(.seconds(60 * 60))
        #expect(keys.claim(Self.entry(1), at: later) == .known(first.requestID))
        #expect(keys.claim(Self.entry(1, content: 2), at: later) == .otherContent)
        #expect(keys.claim(Self.entry(1, of: 2, content: 2), at: later) == .new)
        #expect(keys.count == 2)
    }

    @Test("a key of an earlier version, which stored it for the whole account, is known to every caller")
    func former() {
        var keys = KeyedRequests()
        let former = Self.entry(1)
        keys.restore(former, at: Self.start)
        let entry = KeyedRequests.Entry(
            caller: former.caller, key: .init(high: 7, low: 7), content: former.content,
            requestID: Self.entry(2).requestID, formerKey: former.key)
        #expect(keys.claim(entry, at: Self.now) == .known(former.requestID))
    }

    @Test("a key expires after a day")
    func lifetime() {
        var keys = KeyedRequests()
        #expect(keys.claim(Self.entry(1), at: Self.now) == .new)
        let almost = Self.after(KeyedRequests.lifetime - .milliseconds(1))
        #expect(keys.claim(Self.entry(1, content: 2), at: almost) == .otherContent)
        let over = Self.after(KeyedRequests.lifetime)
        #expect(keys.claim(Self.entry(1, content: 2), at: over) == .new)
    }

    @Test("new keys of a caller replace its older ones, once these are a minute old")
    func displaced() {
        var keys = KeyedRequests(keysOfCaller: 2, keysInAll: 10)
        for key in 1...2 as ClosedRange<UInt64> { _ = keys.claim(Self.entry(key), at: Self.now) }
        #expect(keys.claim(Self.entry(1, of: 2), at: Self.now) == .new)
        let early = Self.after(.seconds(59))
        #expect(keys.claim(Self.entry(3), at: early) == .full(retryAfter: .seconds(1)))
        let later = Self.after(.seconds(60))
        #expect(keys.claim(Self.entry(3), at: later) == .new)
        #expect(keys.claim(Self.entry(2), at: later) == .known(Self.entry(2).requestID))
        #expect(keys.claim(Self.entry(1, of: 2), at: later) == .known(Self.entry(1, of: 2).requestID))
        #expect(keys.count == 3)
    }

    @Test("callers that take all the places that they can still leave some to other keys and users")
    func shares() {
        var keys = KeyedRequests(keysOfCaller: 8, keysInAll: 100)
        let callers: [(user: UInt64, apiKey: UInt64)] = [
            (1, 1), (1, 0), (2, 0), (3, 1), (4, 0), (5, 0), (6, 0), (7, 0),
        ]
        let taken = callers.map { user, apiKey in
            (0..<30 as Range<UInt64>).count { key in
                keys.claim(Self.entry(key, of: 1, user, apiKey), at: Self.now) == .new
            }
        }
        #expect(taken == [8, 3, 5, 3, 2, 1, 1, 1])
        // After a minute, the caller with the most keys gives way to others.
        let later = Self.after(.seconds(60))
        #expect(keys.claim(Self.entry(0, of: 1, 8), at: later) == .new)
        #expect(!keys.isKnown(Self.entry(0, of: 1, 1, 1)))
        #expect(keys.count == 24)
    }

    @Test("in a full table, keys of the account with the most make room for another's")
    func fair() {
        var keys = KeyedRequests(keysOfCaller: 4, keysInAll: 4)
        for key in 1...3 as ClosedRange<UInt64> { _ = keys.claim(Self.entry(key), at: Self.now) }
        _ = keys.claim(Self.entry(1, of: 2), at: Self.now)
        let later = Self.after(.seconds(60))
        #expect(keys.claim(Self.entry(1, of: 3), at: later) == .new)
        #expect(Set(keys.all) == [Self.entry(2), Self.entry(3), Self.entry(1, of: 2), Self.entry(1, of: 3)])
    }

    @Test(
        "a key is given back when all its uses were refused, and otherwise stays",
        arguments: [([true], 0), ([false], 1), ([true, true], 0), ([true, false], 1), ([false, true], 1)])
    func givenBack(refusals: [Bool], left: Int) {
        var keys = KeyedRequests()
        for _ in refusals { _ = keys.claim(Self.entry(1), at: Self.now) }
        for (place, isRefused) in refusals.enumerated() {
            let isRemoved = keys.endUse(of: Self.entry(1), isRefused: isRefused)
            #expect(isRemoved == (left == 0 && place == refusals.count - 1))
        }
        #expect(keys.count == left)
        // A later refusal is one of a repeat: the key stays.
        guard left == 1 else { return }
        #expect(keys.claim(Self.entry(1), at: Self.now) == .known(Self.entry(1).requestID))
        let isRemoved = keys.endUse(of: Self.entry(1), isRefused: true)
        #expect(!isRemoved)
        #expect(keys.all == [Self.entry(1)])
    }

    @Test("keys of a file are restored in its order, without removed and surplus ones")
    func restored() {
        var keys = KeyedRequests(keysOfCaller: 2, keysInAll: 10)
        let entries = (1...4 as ClosedRange<UInt64>).map { Self.entry($0) }
        for entry in [entries[0], entries[1], entries[1].removal, entries[2], entries[3]] {
            keys.restore(entry, at: Self.start)
        }
        #expect(keys.all == [entries[2], entries[3]])
        #expect(keys.claim(entries[0], at: Self.now) == .full(retryAfter: .seconds(60)))
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
