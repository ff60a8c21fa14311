public import Stepping

/// Lets each key ask so many things in so many seconds, as Sensibo's API is said to.
///
/// 5 in 5 s, or 10 in 10 s for who takes compressed answers (a thread quoted in homebridge-sensibo-ac's issue
/// 132; the real numbers are not published). What is turned away does not count.
public struct RateLimiter<Key: Hashable & Sendable>: Sendable {
    /// How much somebody may ask.
    public struct Allowance: Sendable, Equatable {
        /// So many requests.
        public let requests: Int
        /// In so long.
        public let window: Duration

        /// Of who takes answers as they are.
        public static var plain: Allowance { Allowance(requests: 5, window: .seconds(5)) }
        /// Of who takes them compressed.
        public static var compressed: Allowance { Allowance(requests: 10, window: .seconds(10)) }
    }

    /// Keys that are kept in mind at most; where more than that asked in the last seconds, those without a
    /// place are turned away.
    public static var keysAtMost: Int { 4_096 }

    private let keysAtMost: Int
    /// When each key asked last, oldest first: as often as the larger allowance has requests, at most.
    private var asked: [Key: [MonotonicTime]] = [:]

    /// A limiter that nobody has asked yet.
    public init() {
        self.init(keysAtMost: Self.keysAtMost)
    }

    init(keysAtMost: Int) {
        self.keysAtMost = keysAtMost
    }

    /// Takes a request.
    ///
    /// - Returns: nil where it may go on; otherwise how long until the next may.
    public mutating func take(
        _ key: Key, takesCompressed: Bool, at now: MonotonicTime
    ) -> Duration? {
        let allowance = takesCompressed ? Allowance.compressed : .plain
        var times = asked[key] ?? []
        times.removeAll { $0.advanced(by: Allowance.compressed.window) <= now }
        let recent = times.filter { $0.advanced(by: allowance.window) > now }
        if recent.count >= allowance.requests {
            return now.duration(
                to: recent[recent.count - allowance.requests].advanced(by: allowance.window))
        }
        guard asked[key] != nil || makeRoom(at: now) else { return Allowance.plain.window }
        asked[key] = times + [now]
        return nil
    }

    /// Forgets who has not asked for a while, where the table is full; false where that is nobody.
    private mutating func makeRoom(at now: MonotonicTime) -> Bool {
        guard asked.count >= keysAtMost else { return true }
        asked = asked.filter { _, times in
            times.last.map { $0.advanced(by: Allowance.compressed.window) > now } ?? false
        }
        return asked.count < keysAtMost
    }
}
