public import FleetProtocol
import FleetTime

/// A password to be checked by the worker that hashes.
public struct PasswordCheck: Sendable, Equatable {
    /// Comes back with the answer.
    public let ticket: UInt64
    /// What was typed; nil: nothing was, and the check must take as long and fail.
    public let password: Password?
    /// The user's hash; nil: there is no such user, and the check must take as long and fail.
    public let storedHash: String?
}

/// Log-ins that wait for the one worker that hashes; sign-ups and requests for another password among them.
///
/// It is short and soft: ``LoginRank`` says who goes first, ``LoginAttempts`` how soon, and no user is ever
/// locked out. When it is full, the last by rank, the newcomer included, hears `busy`.
struct LoginQueue: Sendable {
    typealias Source = LoginAttempts.Source

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
        fileprivate let network: Source
        fileprivate var rank: LoginRank
        /// When it may be checked.
        fileprivate var due: MonotonicTime

        /// The address under which a password is guessed; nil where none is shown.
        fileprivate var guessed: Email? { password == nil ? nil : email }
    }

    /// What the worker can do.
    private enum Turn {
        case check(Int)
        case wait(until: MonotonicTime)
        case nothing
    }

    static let capacity = 64

    private var waiting: [Login] = []
    private var attempts = LoginAttempts()
    private var nextOrder: UInt64 = 0
    /// Before then none of those that wait may be checked; nil where that has to be found out.
    private var isIdleUntil: MonotonicTime?
    /// The ticket and the log-in that the worker has.
    private(set) var checking: (ticket: UInt64, login: Login)?

    /// When the next may go to the worker; nil while it is at work, or nobody waits.
    func nextDue(at now: MonotonicTime) -> MonotonicTime? {
        guard checking == nil else { return nil }
        if let isIdleUntil, isIdleUntil > now { return isIdleUntil }
        return switch turn(at: now) {
        case .check: now
        case .wait(let until): until
        case .nothing: nil
        }
    }

    /// Lets one wait; returns who must be refused for it, which may be the newcomer.
    mutating func enqueue(
        _ waiter: Waiter, _ behind: LoginSource? = nil, for purpose: Purpose = .session, email: Email,
        password: Password?, at now: MonotonicTime
    ) -> Waiter? {
        let source = Source(connection: waiter.connection, behind: behind)
        let rank = attempts.note(from: source, under: email, order: nextOrder, at: now)
        nextOrder += 1
        let login = Login(
            waiter: waiter, purpose: purpose, source: source, email: email, password: password,
            network: source.network, rank: rank,
            due: attempts.due(from: source, under: password == nil ? nil : email) ?? now)
        isIdleUntil = nil
        align(with: login)
        waiting.insert(login, at: place(of: rank))
        return waiting.count > Self.capacity ? waiting.removeLast().waiter : nil
    }

    /// Where one of that rank belongs among those that wait.
    private func place(of rank: LoginRank) -> Int {
        waiting.sortedIndex(after: { $0.rank <= rank })
    }

    /// Those that wait from the same network or source, or under the same address, are at the level of the
    /// newest of them: an attack gains nothing by what it sent before it was seen to be one.
    private mutating func align(with newest: Login) {
        var isAnotherOrder = false
        for place in waiting.indices {
            let isSameNetwork = waiting[place].network == newest.network
            let isSameSource = waiting[place].source == newest.source
            let isSameAddress = waiting[place].email == newest.email
            guard isSameNetwork || isSameAddress else { continue }
            let aligned = waiting[place].rank.aligned(
                with: newest.rank, ofSameNetwork: isSameNetwork, source: isSameSource,
                andAddress: isSameAddress)
            isAnotherOrder = isAnotherOrder || aligned != waiting[place].rank
            waiting[place].rank = aligned
        }
        if isAnotherOrder { waiting.sort { $0.rank < $1.rank } }
    }

    /// Hands the first of those whose moment has come to the worker, if that is free.
    mutating func next(at now: MonotonicTime) -> (ticket: UInt64, login: Login)? {
        guard checking == nil, isIdleUntil.map({ $0 <= now }) ?? true else { return nil }
        let place: Int
        switch turn(at: now) {
        case .check(let first): place = first
        case .wait(let until):
            isIdleUntil = until
            return nil
        case .nothing: return nil
        }
        let login = waiting.remove(at: place)
        checking = (login.rank.order, login)
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
            attempts.succeeded(from: login.source, under: login.email, at: now.monotonic)
            forgive(login.email, into: &effects)
        case .counted: attempts.slowDown(login.source, at: now.monotonic)
        case .failed:
            let count = attempts.failed(from: login.source, under: login.email, at: now.monotonic)
            let kept = LoginFailures(email: login.email, count: count, lastAt: now.wall)
            effects.store(.access(.loginFailed(kept)))
        }
        for place in waiting.indices
        where waiting[place].source == login.source || waiting[place].email == login.email {
            let (source, guessed) = (waiting[place].source, waiting[place].guessed)
            waiting[place].due = attempts.due(from: source, under: guessed) ?? now.monotonic
        }
        isIdleUntil = nil
        return login
    }

    /// Failures under an address count no more: the user has logged in, or has another password.
    mutating func forgive(_ email: Email, into effects: inout Controller.Effects) {
        if attempts.forgive(email) { effects.store(.access(.loginForgiven(email))) }
    }

    /// Takes up how often somebody failed in an earlier life of the controller.
    mutating func recall(_ kept: LoginFailures, at now: Moment) {
        // A clock that was set back makes nothing younger than now.
        let age = max(.zero, kept.lastAt.duration(to: now.wall))
        guard age < LoginFailures.memory else { return }
        attempts.recall(kept.count, under: kept.email, at: now.monotonic.advanced(by: .zero - age))
    }

    /// The first in rank whose moment has come.
    ///
    /// One whose moment has not come reserves its source and its address: otherwise lower ranks would use up
    /// each moment before both of its own have come.
    private func turn(at now: MonotonicTime) -> Turn {
        var reserving: [Int] = []
        var earliest: MonotonicTime?
        for place in waiting.indices where !reserving.contains(where: { share($0, place) }) {
            let due = waiting[place].due
            if due <= now { return .check(place) }
            earliest = earliest.map { min($0, due) } ?? due
            reserving.append(place)
        }
        return earliest.map(Turn.wait) ?? .nothing
    }

    /// Whether two of those that wait need the same source or address.
    private func share(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (waiting[one], waiting[other])
        return one.source == other.source || one.guessed.map { $0 == other.guessed } ?? false
    }
}

/// Which of two waiting log-ins goes first.
///
/// Levels count attempts that have not led to a log-in, logarithmically, when the log-in arrives: a source
/// that sends hundreds lowers the rank of its own attempts, and not of others.
struct LoginRank: Comparable, Sendable {
    /// From this level of a network, a source or an address on, the newest goes first: the attempts of an
    /// attack wait for their answers, and the attacked user's has just arrived.
    private static let pressure = 3
    private static let levelAtMost = 6

    /// Attempts from that source under that address; 0 for a source that has logged in there before.
    let flow: Int
    /// Attempts from that network: of a source that can have others at no cost.
    let network: Int
    /// Attempts from that source.
    let source: Int
    /// Attempts under that address.
    let address: Int
    /// When it arrived, among all.
    let order: UInt64

    private var levels: (Int, Int, Int, Int) { (flow, network, source, address) }
    private var isUnderPressure: Bool { max(network, source, address) >= Self.pressure }

    /// 1 for one attempt, 2 for up to three, 3 for up to seven, and so on.
    static func level(_ attempts: Int) -> Int {
        min(levelAtMost, Int.bitWidth - max(0, attempts).leadingZeroBitCount)
    }

    /// The rank of an earlier arrival, at the levels that it shares with a later one.
    func aligned(
        with later: LoginRank, ofSameNetwork isSameNetwork: Bool, source isSameSource: Bool,
        andAddress isSameAddress: Bool
    ) -> LoginRank {
        LoginRank(
            flow: isSameSource && isSameAddress ? later.flow : flow,
            network: isSameNetwork ? later.network : network,
            source: isSameSource ? later.source : source,
            address: isSameAddress ? later.address : address, order: order)
    }

    static func < (left: LoginRank, right: LoginRank) -> Bool {
        guard left.levels == right.levels else { return left.levels < right.levels }
        return left.isUnderPressure ? left.order > right.order : left.order < right.order
    }
}
