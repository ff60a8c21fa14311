public import FleetProtocol

/// Recent log-in attempts and successes, used to rank honest log-ins before attacks.
struct LoginAttempts: Sendable {
    /// The origin of a log-in: a connection, or a client of the program that holds the connection.
    struct Source: Hashable, Sendable {
        let connection: ConnectionID
        let behind: LoginSource?

        /// The network that the source belongs to; the source itself if it names no network.
        var network: Source { behind?.network.map { Source(connection: connection, behind: $0) } ?? self }
    }

    /// The key under which attempts are counted.
    private enum Party: Hashable, Sendable {
        case network(Source)
        case source(Source)
        case address(Email)
        case flow(Source, Email)
    }

    private struct Familiar: Hashable, Sendable {
        let source: Source
        let email: Email
    }

    private struct Record: Sendable {
        /// Attempts that wait or have failed.
        var attempts = 0
        /// Wrong passwords since the last correct one.
        var failures = 0
        var lastAt: MonotonicTime
        var nextAt: MonotonicTime
    }

    /// The delay of the next check under an address after a wrong password, over all sources.
    static let guessInterval: Duration = .seconds(1)

    /// Attempts that keep their priority after a source has logged in under an address, until its next
    /// log-in.
    private static let familiarAttempts = 8
    private static let recordsAtMost = 16_384
    private static let freeFailures = 2
    private static let firstDelay: Duration = .milliseconds(100)
    private static let longestDelay: Duration = .seconds(1)

    private var records: [Party: Record] = [:]
    /// When a source last logged in under an address.
    private var successes: [Familiar: MonotonicTime] = [:]

    mutating func record(
        from source: Source, under email: Email, order: UInt64, at now: MonotonicTime
    ) -> LoginRank {
        let inVain = attempts(of: .flow(source, email), at: now)
        let isFamiliar = successes[Familiar(source: source, email: email)] != nil
        return LoginRank(
            flow: isFamiliar && inVain <= Self.familiarAttempts ? 0 : LoginRank.level(inVain),
            network: LoginRank.level(attempts(of: .network(source.network), at: now)),
            source: LoginRank.level(attempts(of: .source(source), at: now)),
            address: LoginRank.level(attempts(of: .address(email), at: now)), order: order)
    }

    /// The earliest time for the next check of a source and an address; nil if both are unknown.
    func due(from source: Source, under email: Email?) -> MonotonicTime? {
        [records[.source(source)]?.nextAt, email.flatMap { records[.address($0)]?.nextAt }]
            .compactMap { $0 }.max()
    }

    /// Records a wrong password; returns the number of consecutive wrong passwords under the address.
    mutating func failed(from source: Source, under email: Email, at now: MonotonicTime) -> Int {
        slowDown(source, at: now)
        var record = record(of: .address(email), at: now)
        record.failures += 1
        record.nextAt = now.advanced(by: Self.guessInterval)
        records[.address(email)] = record
        return record.failures
    }

    /// Delays the next attempt of a source: longer with each wrong password, sign-up or password reset.
    mutating func slowDown(_ source: Source, at now: MonotonicTime) {
        var record = record(of: .source(source), at: now)
        record.failures += 1
        record.nextAt = now.advanced(by: Self.delay(after: record.failures))
        records[.source(source)] = record
    }

    /// Records a log-in: clears the source's delay and failures, and its attempts under the address. The
    /// attempt itself no longer counts for the address, the network or the source.
    mutating func succeeded(from source: Source, under email: Email, at now: MonotonicTime) {
        records[.flow(source, email)] = nil
        records[.address(email)]?.attempts -= 1
        records[.network(source.network)]?.attempts -= 1
        records[.source(source)]?.attempts -= 1
        records[.source(source)]?.failures = 0
        records[.source(source)]?.nextAt = now
        if successes.count >= Self.recordsAtMost { successes.dropOldestHalf(by: \.self) { _ in false } }
        successes[Familiar(source: source, email: email)] = now
    }

    /// Clears the failures under an address; returns whether it had any. The delay of the next check stays,
    /// so that a user's log-in does not speed up an attacker.
    mutating func forgive(_ email: Email) -> Bool {
        let hadFailed = records[.address(email)].map { $0.failures > 0 } ?? false
        records[.address(email)]?.failures = 0
        return hadFailed
    }

    /// Restores the number of failures under an address from an earlier run of the controller.
    mutating func restore(_ failures: Int, under email: Email, at lastAt: MonotonicTime) {
        guard records.count < Self.recordsAtMost else { return }
        records[.address(email)] = Record(
            attempts: failures, failures: failures, lastAt: lastAt,
            nextAt: lastAt.advanced(by: Self.guessInterval))
    }

    /// Counts an attempt of a party; returns the party's attempts, including this one.
    private mutating func attempts(of party: Party, at now: MonotonicTime) -> Int {
        var record = record(of: party, at: now)
        record.attempts += 1
        record.lastAt = now
        records[party] = record
        return record.attempts
    }

    private mutating func record(of party: Party, at now: MonotonicTime) -> Record {
        if let known = records[party], known.lastAt.duration(to: now) < LoginFailures.memory { return known }
        if records.count >= Self.recordsAtMost {
            // Records with a pending delay stay, so that a flood of other addresses cannot clear the delay.
            records.dropOldestHalf(by: \.lastAt) { $0.nextAt > now }
        }
        return Record(lastAt: now, nextAt: now)
    }

    private static func delay(after failures: Int) -> Duration {
        guard failures > freeFailures else { return .zero }
        return min(longestDelay, firstDelay * (1 << min(failures - freeFailures - 1, 8)))
    }
}

extension Dictionary {
    /// Removes the older half of a full table, except the values that are still needed.
    fileprivate mutating func dropOldestHalf(
        by age: (Value) -> MonotonicTime, except isNeeded: (Value) -> Bool
    ) {
        let ages = values.map(age).sorted()
        guard !ages.isEmpty else { return }
        let middle = ages[ages.count / 2]
        self = filter { age($0.value) > middle || isNeeded($0.value) }
    }
}

/// The number of consecutive wrong passwords under an address.
public struct LoginFailures: Sendable, Equatable {
    /// The time after which failures are forgotten.
    public static let memory: Duration = .seconds(900)

    /// The address, which need not belong to a user.
    public let email: Email
    /// The number of consecutive failures.
    public let count: Int
    /// The time of the last failure.
    public let lastAt: WallTime

    /// Creates a record from its fields.
    public init(email: Email, count: Int, lastAt: WallTime) {
        (self.email, self.count, self.lastAt) = (email, count, lastAt)
    }
}

struct PasswordResult: Sendable {
    let didMatch: Bool
    /// A fresh session or reset token; `digest` is its hash.
    let token: Token
    let digest: TokenDigest
    /// The hash of the password, if the check had no stored hash to compare with; otherwise nil.
    let hash: String?
}
