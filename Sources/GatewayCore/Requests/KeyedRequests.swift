import DequeModule
public import FleetProtocol
public import FleetTime

/// The requests that clients named with an ``IdempotencyKey``.
///
/// An account keeps ``keysOfAccount`` keys for ``lifetime``, and its own newer ones displace them. When the
/// table is full, the account with the most keys gives up its oldest. A key younger than ``leastLifetime``
/// stays.
public struct KeyedRequests: Sendable {
    /// A hash, so that all keys take the same memory.
    public struct Digest: Hashable, Sendable {
        /// The first eight bytes.
        public let high: UInt64
        /// The last eight bytes.
        public let low: UInt64

        /// The hash of those halves.
        public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }
    }

    /// A key and the request that it identifies.
    public struct Entry: Hashable, Sendable {
        /// The hash of the account.
        public let account: Digest
        /// The hash of account and key.
        public let key: Digest
        /// The hash of the HTTP request's content.
        public let content: Digest
        /// The request ID that the gateway made for the key; it contains the time.
        public let requestID: RequestID

        /// An entry of those values.
        public init(account: Digest, key: Digest, content: Digest, requestID: RequestID) {
            (self.account, self.key) = (account, key)
            (self.content, self.requestID) = (content, requestID)
        }
    }

    /// The result of a claim.
    public enum Claim: Hashable, Sendable {
        /// The key is new, and identifies this request from now on.
        case new
        /// The key identifies this request, which has the same content.
        case known(RequestID)
        /// The key identifies a request with other content.
        case otherContent
        /// The table is full until that time has passed.
        case full(retryAfter: Duration)
    }

    /// The maximum number of keys of one account.
    public static let keysOfAccount = 1_024
    /// The maximum number of keys of all accounts.
    public static let keysInAll = 1 << 16
    /// The time for which a key is kept unless it is displaced: the controller's default retention of
    /// outcomes.
    public static let lifetime: Duration = .seconds(24 * 60 * 60)
    /// The time for which a key is kept in any case: the controller's minimum retention of outcomes.
    public static let leastLifetime: Duration = .seconds(60)

    private let keysOfAccount: Int
    private let keysInAll: Int
    private var entries: [Digest: Entry] = [:]
    /// The keys of each account, oldest first.
    private var keys: [Digest: Deque<Digest>] = [:]

    /// A table without keys.
    public init() { self.init(keysOfAccount: Self.keysOfAccount, keysInAll: Self.keysInAll) }

    init(keysOfAccount: Int, keysInAll: Int) {
        (self.keysOfAccount, self.keysInAll) = (keysOfAccount, keysInAll)
    }

    /// The number of keys.
    public var count: Int { entries.count }

    /// All keys, oldest first.
    public var all: [Entry] { entries.values.sorted { $0.requestID < $1.requestID } }

    /// Claims a key for a request.
    ///
    /// - Parameter entry: The key, with the request that it identifies if it is new.
    public mutating func claim(_ entry: Entry, at now: WallTime) -> Claim {
        while let oldest = oldest(of: entry.account), oldest.age(at: now) >= Self.lifetime {
            removeOldest(of: entry.account)
        }
        if let known = entries[entry.key] {
            return known.content == entry.content ? .known(known.requestID) : .otherContent
        }
        if let wait = makeRoom(for: entry.account, at: now) { return .full(retryAfter: wait) }
        entries[entry.key] = entry
        keys[entry.account, default: []].append(entry.key)
        return .new
    }

    /// Reverts the newest claim of an account.
    public mutating func withdraw(_ entry: Entry) {
        guard keys[entry.account]?.last == entry.key else { return }
        keys[entry.account]?.removeLast()
        entries[entry.key] = nil
    }

    /// Removes a key if a new one would exceed a limit.
    ///
    /// - Returns: The time until a key may be removed; nil if there is room.
    private mutating func makeRoom(for account: Digest, at now: WallTime) -> Duration? {
        let crowded: Digest? =
            if keys[account, default: []].count >= keysOfAccount {
                account
            } else if entries.count >= keysInAll {
                keys.max { ($0.value.count, $0.key.high) < ($1.value.count, $1.key.high) }?.key
            } else {
                nil
            }
        guard let crowded, let oldest = oldest(of: crowded) else { return nil }
        let age = oldest.age(at: now)
        guard age >= Self.leastLifetime else { return Self.leastLifetime - max(.zero, age) }
        removeOldest(of: crowded)
        return nil
    }

    private func oldest(of account: Digest) -> Entry? { keys[account]?.first.flatMap { entries[$0] } }

    private mutating func removeOldest(of account: Digest) {
        guard let key = keys[account]?.popFirst() else { return }
        entries[key] = nil
        if keys[account]?.isEmpty == true { keys[account] = nil }
    }
}

extension KeyedRequests.Entry {
    /// Returns the time since the claim.
    fileprivate func age(at now: WallTime) -> Duration {
        .milliseconds(now.unixMilliseconds - requestID.time.unixMilliseconds)
    }
}

/// A client's idempotency key for a change, from the header `Idempotency-Key`.
///
/// A request with the same key is a retry of the same change.
public struct IdempotencyKey: Hashable, Sendable {
    /// The maximum length of a key, bytes.
    public static let bytesAtMost = 255

    /// The key as received.
    public let text: String

    /// Parses a header's value.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` unless it has 1 to ``bytesAtMost`` visible ASCII characters.
    public init(_ text: String) throws(APIError) {
        guard 1...Self.bytesAtMost ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
            throw .badRequest(
                "invalid Idempotency-Key: expected 1 to \(Self.bytesAtMost) visible ASCII characters")
        }
        self.text = text
    }
}

/// A rate limit for each key over a sliding window, modelled on Sensibo's API.
///
/// A key may make 5 requests in 5 s, or 10 in 10 s for clients that accept compressed answers. The numbers
/// are from a thread quoted in homebridge-sensibo-ac's issue 132, as Sensibo publishes none. Rejected
/// requests do not count.
public struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// A number of requests in a window of time.
    public struct Allowance: Sendable, Equatable {
        /// The maximum number of requests in the window.
        public let requests: Int
        /// The length of the window.
        public let window: Duration

        /// The allowance of clients that accept only uncompressed answers.
        public static var plain: Allowance { Allowance(requests: 5, window: .seconds(5)) }
        /// The allowance of clients that accept compressed answers.
        public static var compressed: Allowance { Allowance(requests: 10, window: .seconds(10)) }
    }

    /// The maximum number of keys in the table; while all of them are recent, requests of further keys are
    /// rejected.
    public static var keysAtMost: Int { 4_096 }

    private let keysAtMost: Int
    /// The times of each key's recent requests, oldest first: at most as many as the larger allowance.
    private var asked: [Key: [MonotonicTime]] = [:]

    /// A limiter with an empty table.
    public init() { self.init(keysAtMost: Self.keysAtMost) }

    init(keysAtMost: Int) { self.keysAtMost = keysAtMost }

    /// Admits or rejects a request.
    ///
    /// - Returns: nil for an admitted request; otherwise the time until a request would be admitted.
    public mutating func admit(_ key: Key, takesCompressed: Bool, at now: MonotonicTime) -> Duration? {
        let allowance = takesCompressed ? Allowance.compressed : .plain
        var times = asked[key] ?? []
        times.removeAll { $0.advanced(by: Allowance.compressed.window) <= now }
        let recent = times.filter { $0.advanced(by: allowance.window) > now }
        if recent.count >= allowance.requests {
            return now.duration(to: recent[recent.count - allowance.requests].advanced(by: allowance.window))
        }
        guard asked[key] != nil || makeRoom(at: now) else { return Allowance.plain.window }
        asked[key] = times + [now]
        return nil
    }

    /// Removes keys without recent requests from a full table; false if the table is still full.
    private mutating func makeRoom(at now: MonotonicTime) -> Bool {
        guard asked.count >= keysAtMost else { return true }
        asked = asked.filter { _, times in
            times.last.map { $0.advanced(by: Allowance.compressed.window) > now } ?? false
        }
        return asked.count < keysAtMost
    }
}
