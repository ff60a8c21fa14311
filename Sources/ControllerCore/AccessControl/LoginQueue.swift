public import FleetProtocol

/// A password check for the hashing worker.
public struct PasswordCheck: Sendable, Equatable {
    /// The number that the worker returns with the result.
    public let ticket: UInt64
    /// The password to check; nil for a request without one: the check must then take as long, and fail.
    public let password: Password?
    /// The stored hash of the user's password; nil for an unknown user: the check must then take as
    /// long, and fail.
    public let storedHash: String?
}

/// Log-ins, sign-ups and password resets that wait for the one hashing worker. ``LoginRank`` determines their
/// order and ``LoginAttempts`` their delay; no user is ever locked out. While the queue is full, the entry of
/// the lowest rank, which may be the new one, is refused as `busy`.
struct LoginQueue: Sendable {
    typealias Source = LoginAttempts.Source

    enum Purpose: Sendable {
        case session
        case signUp
        /// A password-reset token; the request has no password.
        case reset
    }

    enum Decision: Sendable {
        /// The password was correct: the attempts are cleared.
        case forgiven
        /// The password was wrong: it counts against the source and the address.
        case failed
        /// The request counts against the source as a failure does, but not against the address.
        case counted
    }

    struct Login: Sendable {
        let waiter: Waiter
        let purpose: Purpose
        let source: Source
        let email: Email
        let password: Password?
        fileprivate let network: Source
        fileprivate var rank: LoginRank
        fileprivate var due: MonotonicTime

        /// The address whose password is checked; nil for a request without a password.
        fileprivate var guessed: Email? { password == nil ? nil : email }
    }

    private enum Turn {
        case check(Int)
        case wait(until: MonotonicTime)
        case nothing
    }

    static let capacity = 64

    private var waiting: [Login] = []
    private var attempts = LoginAttempts()
    private var nextOrder: UInt64 = 0
    /// The time before which no queued request may be checked; nil if it must be computed.
    private var isIdleUntil: MonotonicTime?
    private(set) var checking: (ticket: UInt64, login: Login)?

    /// When the next check may start; nil while the worker is busy or the queue is empty.
    func nextDue(at now: MonotonicTime) -> MonotonicTime? {
        guard checking == nil else { return nil }
        if let isIdleUntil, isIdleUntil > now { return isIdleUntil }
        return switch turn(at: now) {
        case .check: now
        case .wait(let until): until
        case .nothing: nil
        }
    }

    /// Queues a request; returns the client that must be refused because the queue is full, which may be
    /// the new one.
    mutating func enqueue(
        _ waiter: Waiter, _ behind: LoginSource? = nil, for purpose: Purpose = .session, email: Email,
        password: Password?, at now: MonotonicTime
    ) -> Waiter? {
        let source = Source(connection: waiter.connection, behind: behind)
        let rank = attempts.record(from: source, under: email, order: nextOrder, at: now)
        nextOrder += 1
        let login = Login(
            waiter: waiter, purpose: purpose, source: source, email: email, password: password,
            network: source.network, rank: rank,
            due: attempts.due(from: source, under: password == nil ? nil : email) ?? now)
        isIdleUntil = nil
        align(with: login)
        waiting.insert(login, at: waiting.sortedIndex(after: { $0.rank <= rank }))
        return waiting.count > Self.capacity ? waiting.removeLast().waiter : nil
    }

    /// Raises queued requests of the same network, source or address to the levels of the newest one. So the
    /// early requests of an attack lose their good rank once its later requests reveal it.
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

    /// Removes and returns the first request that is due; nil while the worker is busy or none is due.
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

    /// Ends the check of a ticket and returns its request; nil if the ticket is not the pending one. Stores
    /// the failures of the address. Those of the source are not stored, because connections do not outlive
    /// the controller.
    mutating func finish(
        _ ticket: UInt64, at now: Moment, into effects: inout Controller.Effects,
        judging judge: (Login) -> Decision
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
            let stored = LoginFailures(email: login.email, count: count, lastAt: now.wall)
            effects.store(.access(.loginFailed(stored)))
        }
        for place in waiting.indices
        where waiting[place].source == login.source || waiting[place].email == login.email {
            let (source, guessed) = (waiting[place].source, waiting[place].guessed)
            waiting[place].due = attempts.due(from: source, under: guessed) ?? now.monotonic
        }
        isIdleUntil = nil
        return login
    }

    /// Clears the failures under an address, because the user has logged in or has a new password.
    mutating func forgive(_ email: Email, into effects: inout Controller.Effects) {
        if attempts.forgive(email) { effects.store(.access(.loginForgiven(email))) }
    }

    mutating func restore(_ stored: LoginFailures, at now: Moment) {
        // The age is negative after the clock was set back; it counts as zero.
        let age = max(.zero, stored.lastAt.duration(to: now.wall))
        guard age < LoginFailures.memory else { return }
        attempts.restore(stored.count, under: stored.email, at: now.monotonic.advanced(by: .zero - age))
    }

    /// Returns the first request by rank that is due. A request that is not due yet reserves its source and
    /// its address. Otherwise requests of lower rank would delay one or the other again and again, and it
    /// would never be due.
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

    /// Whether two queued requests have the same source or address.
    private func share(_ one: Int, _ other: Int) -> Bool {
        let (one, other) = (waiting[one], waiting[other])
        return one.source == other.source || one.guessed.map { $0 == other.guessed } ?? false
    }
}

/// The order of queued log-ins. A level is the logarithm of the number of attempts that have not led to a
/// log-in, taken when the log-in arrives. So a source that sends hundreds lowers the rank of its own attempts
/// only.
struct LoginRank: Comparable, Sendable {
    /// The level of a network, a source or an address from which the newest attempt goes first. Under an
    /// attack most queued attempts are the attacker's, and the user's attempt is the newest.
    private static let pressure = 3
    private static let levelAtMost = 6

    /// The level of the source under the address; 0 if the source has logged in there before.
    let flow: Int
    /// The level of the network, within which an attacker can change sources at no cost.
    let network: Int
    let source: Int
    let address: Int
    /// The number of the attempt in the order of arrival.
    let order: UInt64

    private var levels: (Int, Int, Int, Int) { (flow, network, source, address) }
    private var isUnderPressure: Bool { max(network, source, address) >= Self.pressure }

    /// The level of a number of attempts: 1 for one, 2 for up to three, 3 for up to seven, and so on.
    static func level(_ attempts: Int) -> Int {
        min(levelAtMost, Int.bitWidth - max(0, attempts).leadingZeroBitCount)
    }

    /// Returns the rank of an earlier attempt with the levels of a later one where they share a party.
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
