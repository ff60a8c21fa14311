import FleetProtocol
import UserText

/// Users who are added: with cells, each is reserved first, unless this cell is their home.
extension AccessControl {
    var usersByAccount: [AccountID: UInt32] {
        users.values.reduce(into: [:]) { $0[$1.session.account, default: 0] += 1 }
    }

    mutating func add(_ user: ControllerConfiguration.User) {
        users[user.session.email] = user
        cells?.add(user.session.email, of: user.session.account)
    }

    mutating func removeUser(_ email: Email) {
        guard let account = users.removeValue(forKey: email)?.session.account else { return }
        let isLast = !hasUser(account)
        cells?.remove(email, andAccount: isLast ? account : nil)
    }

    /// Creates an account with its first user once the password is hashed.
    mutating func create(
        _ creation: AccountCreation, for waiter: Waiter, in directory: inout Directory,
        into effects: inout Controller.Effects
    ) {
        if let refusal = refusal(of: creation) { return effects.refuse(refusal, to: waiter) }
        guard let cells, let account = directory.accountMade(creation.account) else {
            let full = "there are already \(Directory.accountsAtMost) accounts, the maximum"
            return effects.refuse(.notAllowed(full), to: waiter)
        }
        let change = UserChanges.Change(
            kind: .account(creation), password: creation.password, account: account, asker: cells.digest,
            waiter: waiter)
        enqueue(change, in: directory, into: &effects)
    }

    private func refusal(of creation: AccountCreation) -> Refusal? {
        guard creation.password.isLongEnough else { return .shortPassword }
        if let problem = SafeText.problem(in: creation.email.address) { return .invalid("email: \(problem)") }
        if users[creation.email] != nil {
            return .invalid("the email \(creation.email) is already registered")
        }
        if hasUser(creation.account) { return .invalid("the account \(creation.account) already exists") }
        return cells?.refusal(ofAdding: creation.email, andAccount: creation.account)
    }

    /// Why a user whose password is hashed cannot be added. During the hashing, and while other cells are
    /// asked, the operator's session may have ended, and the email, the account or the last free place may
    /// have been taken.
    private mutating func refusal(of change: UserChanges.Change, at now: WallTime) -> Refusal? {
        switch change.kind {
        case .account(let creation): return refusal(of: creation)
        case .add:
            guard let place = sessions.use(change.asker, at: now) else { return .unauthenticated }
            let session = sessions[place].session
            return refusal(ofFrozen: session.email) ?? refusal(of: change.kind, by: session)
        case .passwordChange, .reset: preconditionFailure("a change of a password adds no user")
        }
    }

    /// Adds a user whose password is hashed, once the other cells know it.
    mutating func finishAddition(
        _ change: UserChanges.Change, hash: String, at now: Moment, into effects: inout Controller.Effects
    ) {
        if let refusal = refusal(of: change, at: now.wall) {
            return effects.refuse(refusal, to: change.waiter)
        }
        guard let email = change.addedEmail else { return }
        let account = change.createdAccount
        let isPending = additions.contains { other in
            other.change.addedEmail == email
                || (account != nil && other.change.createdAccount == account)
        }
        if isPending { return effects.refuse(.busy(retryAfter: .seconds(1)), to: change.waiter) }
        if cells?.reserve(email, andAccount: account, at: now.monotonic) == true {
            additions.append((change, hash))
        } else {
            complete(change, hash: hash, into: &effects)
        }
    }

    /// Adds the users whose reservations were granted, and refuses those that were not.
    mutating func settleAdditions(at now: Moment, into effects: inout Controller.Effects) {
        guard !additions.isEmpty else { return }
        for (email, refusal) in cells?.takeSettled(at: now.monotonic) ?? [] {
            guard let place = additions.firstIndex(where: { $0.change.addedEmail == email }) else { continue }
            let (change, hash) = additions.remove(at: place)
            if let refusal = refusal ?? self.refusal(of: change, at: now.wall) {
                cells?.remove(email, andAccount: change.createdAccount)
                effects.refuse(refusal, to: change.waiter)
            } else {
                complete(change, hash: hash, into: &effects)
            }
        }
    }

    private mutating func complete(
        _ change: UserChanges.Change, hash: String, into effects: inout Controller.Effects
    ) {
        guard let session = session(ofAdded: change) else {
            return effects.refuse(.unauthenticated, to: change.waiter)
        }
        let user = ControllerConfiguration.User(session: session, passwordHash: hash)
        add(user)
        effects.store(.access(.userAdded(user)))
        switch change.kind {
        case .add(let added): effects.reply(.userAdded(added), to: change.waiter)
        case .account(let creation):
            effects.reply(
                .service(ServiceMessage(.created(creation.account), to: CellRequest.self)), to: change.waiter)
        case .passwordChange, .reset: break
        }
    }

    /// The rights of an added user; nil if the session of the operator who adds them has ended.
    private func session(ofAdded change: UserChanges.Change) -> Session? {
        switch change.kind {
        case .add(let user):
            sessions.account(of: change.asker).map {
                Session(account: $0, email: user.email, role: user.role, isOperator: user.isOperator)
            }
        case .account(let creation):
            Session(
                account: creation.account, email: creation.email, role: .owner,
                isOperator: creation.isOperator)
        case .passwordChange, .reset: nil
        }
    }
}

extension UserChanges.Change {
    /// The email of the user that the change adds; nil for other changes.
    fileprivate var addedEmail: Email? {
        switch kind {
        case .add(let user): user.email
        case .account(let creation): creation.email
        case .passwordChange, .reset: nil
        }
    }

    fileprivate var createdAccount: AccountID? {
        if case .account(let creation) = kind { creation.account } else { nil }
    }
}
