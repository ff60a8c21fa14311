public import FleetProtocol
import Stepping

/// A password to be checked by the worker that hashes.
public struct PasswordCheck: Sendable, Equatable {
    /// Comes back with the answer.
    public let ticket: UInt64
    /// What was typed; nil: nothing was, and the check must take as long and fail.
    public let password: Password?
    /// The user's hash; nil: there is no such user, and the check must take as long and fail.
    public let storedHash: String?
}

/// Log-ins that wait for the one worker that hashes; sign-ups and who forgot their password among them.
///
/// It is short and soft: who failed before waits a moment and stands behind who did not, and nobody
/// is ever locked out. When it is full, the worst of all, the newcomer included, hears `busy`.
struct LoginQueue: Sendable {
    /// What somebody wants.
    enum Purpose: Sendable {
        case session
        case signUp
        /// A token for another password: no password is shown.
        case recovery
    }

    /// What a check means for who asked.
    enum Verdict: Sendable {
        /// Nothing is held against them any more.
        case forgiven
        /// The password was wrong: it is held against the source and the address.
        case failed
        /// Who asks for this again and again is slowed down as if they failed, and the address is not.
        case counted
    }

    /// One who wants to log in.
    struct Login: Sendable {
        let waiter: Waiter
        let purpose: Purpose
        let source: Source
        let email: Email
        let password: Password?
        let notBefore: MonotonicTime
        fileprivate let order: UInt64
    }

    /// Where a log-in comes from: a connection, or somebody for whom a program logs in there.
    struct Source: Hashable, Sendable {
        let connection: ConnectionID
        let behind: LoginSource?
    }

    private struct Failures: Sendable {
        var count: Int
        var lastAt: MonotonicTime
    }

    /// Who failed: a source, or somebody with an address.
    private enum Culprit: Hashable, Sendable {
        case source(Source)
        case address(Email)
    }

    static let capacity = 32
    private static let culpritsAtMost = 16_384
    private static let freeFailures = 2
    private static let firstDelay: Duration = .milliseconds(100)
    private static let longestDelay: Duration = .seconds(1)

    private var waiting: [Login] = []
    private var failures: [Culprit: Failures] = [:]
    private var nextOrder: UInt64 = 0
    /// The ticket and the log-in that the worker has.
    private(set) var checking: (ticket: UInt64, login: Login)?

    /// When the next may go to the worker; nil while it is at work, or nobody waits.
    var nextDue: MonotonicTime? { checking == nil ? waiting.map(\.notBefore).min() : nil }

    /// Lets one wait; returns who must be refused for it, which may be the newcomer.
    mutating func enqueue(
        _ waiter: Waiter, _ behind: LoginSource? = nil, for purpose: Purpose = .session, email: Email,
        password: Password?, at now: MonotonicTime
    ) -> Waiter? {
        let source = Source(connection: waiter.connection, behind: behind)
        let bySource = failureCount(.source(source), at: now)
        let byAddress = failureCount(.address(email), at: now)
        let login = Login(
            waiter: waiter, purpose: purpose, source: source, email: email, password: password,
            notBefore: now.advanced(by: delay(after: max(bySource, byAddress))), order: nextOrder)
        nextOrder += 1
        if waiting.contains(where: { $0.source == source }) { return waiter }
        waiting.append(login)
        guard waiting.count > Self.capacity else { return nil }
        let worst = waiting.indices.max { isBetter(waiting[$0], waiting[$1], at: now) }
        return worst.map { waiting.remove(at: $0).waiter }
    }

    /// Hands the best of those whose moment has come to the worker, if that is free.
    mutating func next(at now: MonotonicTime) -> (ticket: UInt64, login: Login)? {
        guard checking == nil else { return nil }
        let due = waiting.indices.filter { waiting[$0].notBefore <= now }
        guard let best = due.min(by: { isBetter(waiting[$0], waiting[$1], at: now) }) else { return nil }
        let login = waiting.remove(at: best)
        checking = (login.order, login)
        return checking
    }

    /// The worker is done with a ticket; nil when it is not the one that is being checked.
    ///
    /// What it means for the address is kept; connections do not outlive the controller.
    mutating func finish(
        _ ticket: UInt64, at now: Moment, into effects: inout Controller.Effects,
        judging judge: (Login) -> Verdict
    ) -> Login? {
        guard let (checkingTicket, login) = checking, checkingTicket == ticket else { return nil }
        checking = nil
        switch judge(login) {
        case .forgiven:
            failures[.source(login.source)] = nil
            forgive(login.email, into: &effects)
        case .counted: note(.source(login.source), at: now.monotonic)
        case .failed:
            note(.source(login.source), at: now.monotonic)
            let count = note(.address(login.email), at: now.monotonic)
            let kept = LoginFailures(email: login.email, count: count, lastAt: now.wall)
            effects.accessEntries.append(.loginFailed(kept))
        }
        return login
    }

    /// Failures under an address count no more: whoever it belongs to is here.
    mutating func forgive(_ email: Email, into effects: inout Controller.Effects) {
        guard failures.removeValue(forKey: .address(email)) != nil else { return }
        effects.accessEntries.append(.loginForgiven(email))
    }

    /// Takes up how often somebody failed in an earlier life of the controller.
    mutating func recall(_ kept: LoginFailures, at now: Moment) {
        // A clock that was set back makes nothing younger than now.
        let age = max(.zero, kept.lastAt.duration(to: now.wall))
        guard age < LoginFailures.memory, failures.count < Self.culpritsAtMost else { return }
        let lastAt = now.monotonic.advanced(by: .zero - age)
        failures[.address(kept.email)] = Failures(count: kept.count, lastAt: lastAt)
    }

    /// Who has failed less, from that source and then under that address, goes first; then who came first.
    private func isBetter(_ left: Login, _ right: Login, at now: MonotonicTime) -> Bool {
        func rank(_ login: Login) -> (Int, Int, UInt64) {
            let bySource = failureCount(.source(login.source), at: now)
            return (bySource, failureCount(.address(login.email), at: now), login.order)
        }
        return rank(left) < rank(right)
    }

    private func failureCount(_ culprit: Culprit, at now: MonotonicTime) -> Int {
        guard let known = failures[culprit], known.lastAt.duration(to: now) < LoginFailures.memory else {
            return 0
        }
        return known.count
    }

    private func delay(after failures: Int) -> Duration {
        guard failures > Self.freeFailures else { return .zero }
        return min(Self.longestDelay, Self.firstDelay * (1 << min(failures - Self.freeFailures - 1, 8)))
    }

    /// Notes a failure; returns how many there are in a row now.
    @discardableResult
    private mutating func note(_ culprit: Culprit, at now: MonotonicTime) -> Int {
        if failures.count >= Self.culpritsAtMost {
            failures = failures.filter { $0.value.lastAt.duration(to: now) < LoginFailures.memory }
            if failures.count >= Self.culpritsAtMost { failures.removeAll() }
        }
        let count = failureCount(culprit, at: now) + 1
        failures[culprit] = Failures(count: count, lastAt: now)
        return count
    }
}
