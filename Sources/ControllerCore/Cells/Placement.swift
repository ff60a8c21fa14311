import FleetProtocol

/// Where users and accounts are, in an installation of several cells; without cells all are here.
///
/// Each cell has a directory of the keyed hashes of its users and accounts, and pulls those of all others. A
/// user who is in no directory belongs to the cell that a hash of their email selects, their home cell, so
/// that all cells agree where a sign-up is handled, and a refusal does not reveal who has an account.
///
/// No two cells ever have the same user. A sign-up is handled by the home cell alone. A user who is added
/// elsewhere is reserved first: see ``CellReservation``.
struct Placement: Sendable {
    enum Place: Equatable {
        case here
        case elsewhere(CellName)
        /// Not known for now: the request may be repeated after that time.
        case unknown(retryAfter: Duration)

        /// Why a request is refused that only the right cell can handle; nil if this is it.
        var refusal: Refusal? {
            switch self {
            case .here: nil
            case .elsewhere(let cell): .moved(cell)
            case .unknown(let pause): .busy(retryAfter: pause)
            }
        }
    }

    /// The time after which a request is repeated that must wait for a directory.
    private static let retry = Limits.directoryInterval

    let own: CellName
    /// The digest of the token that other cells and operators of all cells present.
    let digest: TokenDigest
    private let hash: @Sendable ([UInt8]) -> CellHash
    private let planted: Planting
    private var directory: CellDirectory
    private var others: [OtherDirectory]
    private var reservations: [CellReservation] = []
    /// The hash of all names, by which cells compare their lists.
    private var names: CellHash
    private var correlation: UInt64
    /// The number before the first request of this run.
    private let correlationBefore: UInt64
    private(set) var nextDue: MonotonicTime
    /// The cells of accounts that were moved away, with the epochs from which on their directories have them.
    let departed: [AccountID: CellDirectoryPage.Successor]
    /// The cells of the sessions and keys of these accounts.
    private let tokens: [TokenDigest: CellName]
    /// The account that nobody uses for now, because it moves to another cell; nil without one.
    var frozen: AccountID?

    /// Creates the state of a cell that has not pulled a directory; nil without cells.
    init?(_ configuration: ControllerConfiguration, at now: MonotonicTime) {
        guard let cells = configuration.cells else { return nil }
        (own, digest, hash) = (cells.own, cells.digest, cells.hash)
        (planted, nextDue) = (configuration.planted, now)
        correlationBefore = configuration.epoch.value << 24
        correlation = correlationBefore
        directory = CellDirectory(epoch: configuration.epoch, pageChanges: cells.pageChanges)
        (departed, tokens) = (cells.moves.departed, cells.moves.tokens)
        frozen = cells.moves.committed?.account
        (others, names) = ([], CellHash(high: 0, low: 0))
        set(cells.others, at: now)
    }

    /// Replaces the list of other cells; the directories of those that remain are kept.
    mutating func set(_ list: [CellName], at now: MonotonicTime) {
        let former = others
        others = list.sorted().filter { $0 != own }.map { name in
            former.first { $0.name == name } ?? OtherDirectory(of: name, planted: planted)
        }
        let formerNames = names
        names = hash(Array((otherNames + [own]).sorted().map(\.text).joined(separator: "\n").utf8))
        // What the others said of an earlier list says nothing about this one.
        if names != formerNames { for place in others.indices { others[place].removeCells() } }
        nextDue = others.isEmpty ? .never : now
        // A cell that has joined must know them too.
        for place in reservations.indices { reservations[place].begin(with: otherNames) }
    }

    /// Whether a digest is that of another cell or of an operator of all cells.
    func admits(_ token: TokenDigest?) -> Bool { token == digest }

    // MARK: Places

    /// Where a user is, or belongs who is in no cell.
    ///
    /// - Parameter account: The user's account here; nil if no user here has that address.
    func place(of email: Email, in account: AccountID?) -> Place {
        if let account { return account == frozen ? .unknown(retryAfter: Sessions.frozenRetry) : .here }
        if planted(.loginAtWrongCell) { return .here }
        let user = hash(of: email)
        let isReserved = reservations.contains { $0.hashes.contains(user) }
        if !isReserved, let holder = holder(of: user) { return .elsewhere(holder) }
        // Another cell may have the user, or place new users by another list of cells.
        guard !isReserved, areKnown || planted(.missingDirectoryIgnored) else {
            return .unknown(retryAfter: Self.retry)
        }
        let home = home(of: user)
        return home == own ? .here : .elsewhere(home)
    }

    /// Where the account of a session or key is that is not known here.
    func place(of token: TokenDigest) -> Place { tokens[token].map { .elsewhere($0) } ?? .here }

    /// Why a user, and an account, cannot be added here; nil as far as this cell knows.
    func refusal(ofAdding email: Email, andAccount account: AccountID? = nil) -> Refusal? {
        if let holder = holder(of: hash(of: email)) {
            return .invalid("the email \(email) is already registered, in cell \(holder)")
        }
        if let account, let holder = holder(of: hash(of: account)) {
            return .invalid("the account \(account) already exists, in cell \(holder)")
        }
        return areKnown ? nil : .busy(retryAfter: Self.retry)
    }

    func holder(of account: AccountID) -> CellName? { holder(of: hash(of: account)) }

    var otherNames: [CellName] { others.map(\.name) }

    private var areKnown: Bool { others.allSatisfy { $0.isKnown && $0.cells == names } }

    /// The other cell that has a user or an account; nil if none is known to have it.
    private func holder(of hash: CellHash) -> CellName? { others.first { $0.has(hash) }?.name }

    /// The cell to which a new user belongs: the one whose name has the largest hash together with the user
    /// (rendezvous hashing), so that a new cell takes over few of them.
    private func home(of user: CellHash) -> CellName {
        let ranked = (otherNames + [own]).map { name in
            (rank: hash(Array("\(user.high) \(user.low) \(name)".utf8)), name: name)
        }
        return ranked.max { ($0.rank, $0.name) < ($1.rank, $1.name) }?.name ?? own
    }

    private func hash(of email: Email) -> CellHash { hash(Array("user \(email)".utf8)) }
    private func hash(of account: AccountID) -> CellHash { hash(Array("account \(account)".utf8)) }

    // MARK: The directory of this cell

    mutating func add(_ email: Email, of account: AccountID) {
        let hashes = [hash(of: email), hash(of: account)]
        reservations.removeAll { $0.hashes.contains(hashes[0]) }
        hashes.forEach { directory.add($0) }
    }

    /// Records the removal of a user, and of the account if this was its last user.
    mutating func remove(_ email: Email, andAccount account: AccountID?) {
        directory.remove(hash(of: email))
        if let account { directory.remove(hash(of: account)) }
    }

    /// Returns the changes that another cell does not have, and notes which it has.
    mutating func page(for pull: CellDirectoryPull, at now: MonotonicTime) -> CellDirectoryPage {
        for place in reservations.indices where directory.has(pull, reservations[place].position) {
            guard reservations[place].isKnown(by: pull.cell, pullingAfter: correlation) else { continue }
            // The next page of that cell shows whether it had the user first.
            if let other = others.firstIndex(where: { $0.name == pull.cell }) { others[other].nextPull = now }
            nextDue = now
        }
        return directory.page(for: pull, of: own, among: names, successors: successors)
    }

    /// The cells that got accounts from here, each with the highest epoch.
    private var successors: [CellDirectoryPage.Successor] {
        var epochs: [CellName: Epoch] = [:]
        for successor in departed.values {
            epochs[successor.cell] = max(epochs[successor.cell] ?? successor.epoch, successor.epoch)
        }
        return epochs.sorted { $0.key < $1.key }
            .map { CellDirectoryPage.Successor(cell: $0.key, epoch: $0.value) }
    }

    // MARK: Reservations

    /// The users who are being added.
    var additions: [Addition] { reservations.map(\.addition) }

    /// Reserves a user who is added in another cell than their home, and the account if it is new.
    ///
    /// - Returns: False if no reservation is needed.
    mutating func reserve(_ addition: Addition, at now: MonotonicTime) -> Bool {
        let user = hash(of: addition.email)
        guard !others.isEmpty, home(of: user) != own || addition.account != nil,
            !planted(.additionNotReserved)
        else { return false }
        let hashes = [user] + (addition.account.map { [hash(of: $0)] } ?? [])
        hashes.forEach { directory.add($0) }
        var reservation = CellReservation(
            of: addition, hashes: hashes, at: directory.position,
            until: now.advanced(by: CellReservation.longest))
        reservation.begin(with: otherNames)
        reservations.append(reservation)
        nextDue = min(nextDue, reservation.deadline)
        return true
    }

    /// Removes and returns the additions whose reservations have ended, each with its refusal, after which
    /// the caller removes the user again; nil if it was granted.
    mutating func takeSettled(at now: MonotonicTime) -> [(addition: Addition, refusal: Refusal?)] {
        var settled: [(addition: Addition, refusal: Refusal?)] = []
        for reservation in reservations {
            if let holder = reservation.hashes.compactMap({ holder(of: $0) }).first {
                let reason = "the email or the account is already registered, in cell \(holder)"
                settled.append((reservation.addition, .invalid(reason)))
            } else if reservation.isGranted {
                settled.append((reservation.addition, nil))
            } else if reservation.deadline <= now {
                settled.append((reservation.addition, .busy(retryAfter: Self.retry)))
            }
        }
        for (addition, _) in settled { reservations.removeAll { $0.addition.email == addition.email } }
        return settled
    }

    // MARK: The directories of the others

    /// Pulls the directories that are due.
    mutating func turn(at now: MonotonicTime, into effects: inout Controller.Effects) {
        guard nextDue <= now else { return }
        for place in others.indices where others[place].nextPull <= now {
            pull(place, at: now, into: &effects)
        }
        updateDue()
    }

    private mutating func pull(_ place: Int, at now: MonotonicTime, into effects: inout Controller.Effects) {
        ask(others[place].name, .pull(others[place].pull(by: own)), into: &effects)
        others[place].nextPull = now.advanced(by: Limits.directoryInterval)
    }

    /// Whether the request with a number is of this run: a reply to an earlier one says nothing about now.
    func hasSent(_ number: UInt64) -> Bool { number > correlationBefore }

    mutating func ask(_ cell: CellName, _ request: CellRequest, into effects: inout Controller.Effects) {
        correlation += 1
        effects.rare.append(.askCell(RequestToCell(cell, correlation: correlation, request)))
    }

    private mutating func updateDue() {
        nextDue = (others.map(\.nextPull) + reservations.map(\.deadline)).min() ?? .never
    }

    /// Handles a page of another cell's directory, and pulls the next one if there are more changes.
    mutating func receive(
        _ page: CellDirectoryPage, from cell: CellName, correlation: UInt64, at now: MonotonicTime,
        into effects: inout Controller.Effects
    ) {
        guard page.cell == cell,
            let place = others.firstIndex(where: { $0.name == cell })
        else { return }
        switch others[place].receive(page, at: now) {
        case .unused: break
        case .more: pull(place, at: now, into: &effects)
        case .complete:
            for reservation in reservations.indices {
                reservations[reservation].knowsAll(of: cell, asOf: correlation)
            }
        }
        others.useComplete()
        updateDue()
    }

    /// The number of users and accounts that another cell has too, as after a list that named a wrong cell.
    var conflicts: Int { directory.count { hash in others.contains { $0.has(hash) } } }

    func knowledge(at now: MonotonicTime) -> [CellStatus.OtherCell] {
        others.map { other in
            CellStatus.OtherCell(
                name: other.name, isKnown: other.isKnown, hasSameCells: other.cells == names,
                silent: other.lastPageAt?.duration(to: now))
        }
    }
}
