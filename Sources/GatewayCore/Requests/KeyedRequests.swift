import DequeModule
public import FleetProtocol

/// The requests that clients named with an ``IdempotencyKey``.
///
/// A key belongs to its caller: a user with sessions, or one API key of a user. It is kept for ``lifetime``,
/// unless newer keys displace it, and for ``leastLifetime`` in any case. A caller may take a place while its
/// own keys and those of its user are fewer than the free places of its account. So a caller that is alone
/// has ``keysOfCaller``, and every other caller still finds room. Beyond that, the caller with the most keys,
/// of the user with the most, gives up its oldest.
///
/// Ages are measured with the monotonic clock, so a step of the wall clock removes no key.
public struct KeyedRequests: Sendable {
    /// A hash, so that all keys take the same memory.
    public struct Digest: Hashable, Sendable {
        /// The first eight bytes.
        public let high: UInt64
        /// The last eight bytes.
        public let low: UInt64

        public init(high: UInt64, low: UInt64) { (self.high, self.low) = (high, low) }

        /// A caller: eight bytes for the account, four for the user, and four for the API key.
        public init(account: Digest, user: Digest, key: Digest) {
            (high, low) = (account.high, user.high & Self.userBits | key.high & ~Self.userBits)
        }

        private static let userBits: UInt64 = 0xffff_ffff_0000_0000

        /// The account of a caller, its user, and the caller.
        fileprivate var groups: [Digest] {
            [Digest(high: high, low: 0), Digest(high: high, low: low & Self.userBits), self]
        }
    }

    public struct Entry: Hashable, Sendable {
        public let caller: Digest
        public let key: Digest
        /// The hash of the HTTP request's content.
        public let content: Digest
        /// The request ID that the gateway made for the key; zero removes the key from a file.
        public let requestID: RequestID
        /// The hash of account and key, under which an earlier version stored the key.
        private let formerKey: Digest?

        public init(
            caller: Digest, key: Digest, content: Digest, requestID: RequestID, formerKey: Digest? = nil
        ) {
            (self.caller, self.key, self.formerKey) = (caller, key, formerKey)
            (self.content, self.requestID) = (content, requestID)
        }

        public var removal: Entry {
            Entry(caller: caller, key: key, content: content, requestID: RequestID(high: 0, low: 0))
        }

        fileprivate var keys: [Digest] { [key] + (formerKey.map { [$0] } ?? []) }
    }

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

    static let keysOfCaller = 1_024
    static let keysInAll = 1 << 16
    /// The time for which a key is kept unless it is displaced: the controller's default retention of
    /// outcomes.
    static let lifetime: Duration = .seconds(24 * 60 * 60)
    /// The time for which a key is kept in any case: the controller's minimum retention of outcomes.
    static let leastLifetime: Duration = .seconds(60)

    private struct Place {
        let entry: Entry
        let at: MonotonicTime
        /// The uses under way, if all others were refused; nil if the key stays.
        var uses: Int?
    }

    private let keysOfAccount: Int
    private let keysInAll: Int
    private var places: [Digest: Place] = [:]
    /// The keys of each caller, oldest first.
    private var callers: [Digest: Deque<Digest>] = [:]

    public init() { self.init(keysOfCaller: Self.keysOfCaller, keysInAll: Self.keysInAll) }

    init(keysOfCaller: Int, keysInAll: Int) {
        (keysOfAccount, self.keysInAll) = (keysOfCaller * 3, keysInAll)
    }

    public var count: Int { places.count }

    public var all: [Entry] {
        callers.sorted { ($0.key.high, $0.key.low) < ($1.key.high, $1.key.low) }.flatMap { _, keys in
            keys.compactMap { places[$0]?.entry }
        }
    }

    public func isKnown(_ entry: Entry) -> Bool { entry.keys.contains { places[$0] != nil } }

    /// Claims a key for a request, which begins a use of the key unless it belongs to another request.
    public mutating func claim(_ entry: Entry, at now: MonotonicTime) -> Claim {
        while let oldest = oldest(of: entry.caller), oldest.at.duration(to: now) >= Self.lifetime {
            remove(oldest.entry.key)
        }
        if let known = entry.keys.compactMap({ places[$0]?.entry }).first {
            guard known.content == entry.content else { return .otherContent }
            places[known.key]?.uses? += 1
            return .known(known.requestID)
        }
        if let wait = makeRoom(for: entry.caller, ifOlderThan: Self.leastLifetime, at: now) {
            return .full(retryAfter: wait)
        }
        insert(Place(entry: entry, at: now, uses: 1))
        return .new
    }

    /// Ends a use of a key, and removes a new key with its last use if all of them were refused. A use is
    /// refused if nothing was done, and nothing of it can be done any more. Returns whether the key was
    /// removed.
    public mutating func endUse(of entry: Entry, isRefused: Bool) -> Bool {
        guard let uses = places[entry.key]?.uses else { return false }
        places[entry.key]?.uses = isRefused ? uses - 1 : nil
        guard isRefused, uses == 1 else { return false }
        remove(entry.key)
        return true
    }

    /// Applies an entry of a file, in the order of the file. The wall clock may have been set since the
    /// claim. So the key is taken for new, except that it may be displaced after ``leastLifetime`` by the
    /// wall clock.
    public mutating func restore(_ entry: Entry, at now: Moment) {
        remove(entry.key)
        guard entry.requestID != entry.removal.requestID else { return }
        _ = makeRoom(for: entry.caller, ifOlderThan: .zero - Self.leastLifetime, at: now.monotonic)
        let age = max(.zero, min(Self.leastLifetime, entry.requestID.time.duration(to: now.wall)))
        insert(Place(entry: entry, at: now.monotonic.advanced(by: .zero - age)))
    }

    /// Makes room for a key beyond the share of its caller, or ``keysInAll``; returns the time until it can.
    private mutating func makeRoom(
        for caller: Digest, ifOlderThan least: Duration, at now: MonotonicTime
    ) -> Duration? {
        var counts: [Digest: UInt64] = [:]
        for (one, keys) in callers {
            for group in one.groups { counts[group, default: 0] += UInt64(keys.count) }
        }
        let isAllFull = places.count >= keysInAll
        let taken = caller.groups.reduce(0) { $0 + counts[$1, default: 0] }
        guard isAllFull || taken >= keysOfAccount else { return nil }
        let ranked = callers.keys.filter { isAllFull || $0.high == caller.high }.map { one in
            (caller: one, rank: one.groups.map { counts[$0, default: 0] } + [one.high, one.low])
        }
        let crowded = ranked.max { $0.rank.lexicographicallyPrecedes($1.rank) }?.caller
        let oldest = [crowded ?? caller, caller].compactMap { self.oldest(of: $0) }
        guard let leaving = oldest.first(where: { $0.at.duration(to: now) >= least }) else {
            return oldest.first.map { least - max(.zero, $0.at.duration(to: now)) } ?? least
        }
        remove(leaving.entry.key)
        return nil
    }

    private func oldest(of caller: Digest) -> Place? { callers[caller]?.first.flatMap { places[$0] } }

    private mutating func insert(_ place: Place) {
        places[place.entry.key] = place
        callers[place.entry.caller, default: []].append(place.entry.key)
    }

    private mutating func remove(_ key: Digest) {
        guard let caller = places.removeValue(forKey: key)?.entry.caller else { return }
        callers[caller]?.removeAll { $0 == key }
        if callers[caller]?.isEmpty == true { callers[caller] = nil }
    }
}

/// A client's idempotency key for a change, from the header `Idempotency-Key`. A request with the same key is
/// a retry of the same change.
public struct IdempotencyKey: Hashable, Sendable {
    static let bytesAtMost = 255

    public let text: String

    /// Parses a header's value: 1 to ``bytesAtMost`` visible ASCII characters.
    public init(_ text: String) throws(APIError) {
        guard 1...Self.bytesAtMost ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
            throw .badRequest(
                "invalid Idempotency-Key: expected 1 to \(Self.bytesAtMost) visible ASCII characters")
        }
        self.text = text
    }
}

/// A rate limit for each key over a sliding window, modelled on Sensibo's API. A key may make 5 requests in 5
/// s, or 10 in 10 s for clients that accept compressed answers. The numbers are from a thread quoted in
/// homebridge-sensibo-ac's issue 132, as Sensibo publishes none. Rejected requests do not count.
public struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    struct Allowance: Sendable, Equatable {
        let requests: Int
        let window: Duration

        /// The allowance of clients that accept only uncompressed answers.
        static var plain: Allowance { Allowance(requests: 5, window: .seconds(5)) }
        static var compressed: Allowance { Allowance(requests: 10, window: .seconds(10)) }
    }

    /// The maximum number of keys in the table; while all of them are recent, requests of further keys are
    /// rejected.
    static var keysAtMost: Int { 4_096 }

    private let keysAtMost: Int
    /// The times of each key's recent requests, oldest first: at most as many as the larger allowance.
    private var asked: [Key: [MonotonicTime]] = [:]

    public init() { self.init(keysAtMost: Self.keysAtMost) }

    init(keysAtMost: Int) { self.keysAtMost = keysAtMost }

    /// Admits or rejects a request; returns the time until one would be admitted, nil for an admitted one.
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
