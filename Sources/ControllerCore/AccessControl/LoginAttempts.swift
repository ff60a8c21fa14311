public import FleetProtocol
public import Stepping

/// Recent attempts to log in, and recent log-ins: they tell an honest log-in from an attack.
struct LoginAttempts: Sendable {
    /// Where a log-in comes from: a connection, or a client of the program at its other end.
    struct Source: Hashable, Sendable {
        let connection: ConnectionID
        let behind: LoginSource?

        /// The network that it is of, which can have many sources; itself where it names none.
        var network: Source { behind?.network.map { Source(connection: connection, behind: $0) } ?? self }
    }

    /// What attempts are counted for.
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
        /// Those that wait, or were in vain.
        var attempts = 0
        /// Wrong passwords since the last right one.
        var failures = 0
        var lastAt: MonotonicTime
        /// When the next may be checked.
        var nextAt: MonotonicTime
    }

    /// Under one address, over all sources, at most one wrong password is checked in this time.
    static let guessInterval: Duration = .seconds(1)

    /// A source that has logged in under an address goes first there until it has tried in vain this often.
    private static let familiarAttempts = 8
    private static let recordsAtMost = 16_384
    private static let freeFailures = 2
    private static let firstDelay: Duration = .milliseconds(100)
    private static let longestDelay: Duration = .seconds(1)

    private var records: [Party: Record] = [:]
    /// When a source last logged in under an address.
    private var successes: [Familiar: MonotonicTime] = [:]

    /// Counts an attempt, and tells how it ranks.
    mutating func note(
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

    /// When a password from that source may be checked, and one under that address where there is one.
    func due(from source: Source, under email: Email?) -> MonotonicTime? {
        [records[.source(source)]?.nextAt, email.flatMap { records[.address($0)]?.nextAt }]
            .compactMap { $0 }.max()
    }

    /// A password was wrong; returns how often in a row one under that address was.
    mutating func failed(from source: Source, under email: Email, at now: MonotonicTime) -> Int {
        slowDown(source, at: now)
        var record = record(of: .address(email), at: now)
        record.failures += 1
        record.nextAt = now.advanced(by: Self.guessInterval)
        records[.address(email)] = record
        return record.failures
    }

    /// Has a source wait the longer the more often it failed, or had something made or sent.
    mutating func slowDown(_ source: Source, at now: MonotonicTime) {
        var record = record(of: .source(source), at: now)
        record.failures += 1
        record.nextAt = now.advanced(by: Self.delay(after: record.failures))
        records[.source(source)] = record
    }

    /// A user has logged in: this attempt was not in vain, and earlier ones of the same source under the same
    /// address do not count.
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

    /// Earlier failures under an address do not count; returns whether there were any.
    ///
    /// The next wrong password is still checked no earlier than it would have been: an attacker gains nothing
    /// by the log-ins of the user.
    mutating func forgive(_ email: Email) -> Bool {
        let hadFailed = records[.address(email)].map { $0.failures > 0 } ?? false
        records[.address(email)]?.failures = 0
        return hadFailed
    }

    /// Restores the number of failures under an address from an earlier run of the controller.
    mutating func recall(_ failures: Int, under email: Email, at lastAt: MonotonicTime) {
        guard records.count < Self.recordsAtMost else { return }
        records[.address(email)] = Record(
            attempts: failures, failures: failures, lastAt: lastAt,
            nextAt: lastAt.advanced(by: Self.guessInterval))
    }

    /// How often a party has tried, this attempt counted.
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
            // A flood of other addresses must not make one forget that its next guess has to wait.
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
    /// Makes room in a full table: the younger half stays, and what is still needed.
    fileprivate mutating func dropOldestHalf(
        by age: (Value) -> MonotonicTime, except isNeeded: (Value) -> Bool
    ) {
        let ages = values.map(age).sorted()
        guard !ages.isEmpty else { return }
        let middle = ages[ages.count / 2]
        self = filter { age($0.value) > middle || isNeeded($0.value) }
    }
}

/// How often in a row the password under an address was wrong.
public struct LoginFailures: Sendable, Equatable {
    /// Failures are forgotten after this long.
    public static let memory: Duration = .seconds(900)

    /// The address, of a user or of nobody.
    public let email: Email
    /// How often.
    public let count: Int
    /// When it last was.
    public let lastAt: WallTime

    /// The failures of those values.
    public init(email: Email, count: Int, lastAt: WallTime) {
        self.email = email
        self.count = count
        self.lastAt = lastAt
    }
}

/// What the worker found out about a password.
struct PasswordVerdict: Sendable {
    let didMatch: Bool
    /// Fresh, with what it hashes to.
    let token: Token
    let digest: TokenDigest
    /// The password's hash, where there was none to compare it with.
    let hash: String?
}
