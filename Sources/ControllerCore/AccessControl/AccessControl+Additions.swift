import FleetProtocol
import UserText

/// A user who is added, with the change of which this is the end.
struct Addition: Sendable {
    let change: UserChanges.Change
    let user: ControllerConfiguration.User

    var email: Email { user.session.email }

    /// The account that is created with the user; nil for an account that exists.
    var account: AccountID? { if case .account(let creation) = change.kind { creation.account } else { nil } }
}

/// Users who are added: with cells, each is reserved first, unless this cell is their home.
extension AccessControl {
    var usersByAccount: [AccountID: UInt32] {
        users.values.reduce(into: [:]) { $0[$1.session.account, default: 0] += 1 }
    }

    mutating func add(_ user: ControllerConfiguration.User) {
        users[user.session.email] = user
        placement?.add(user.session.email, of: user.session.account)
    }

    mutating func removeUser(_ email: Email) {
        guard let account = users.removeValue(forKey: email)?.session.account else { return }
        let isLast = !hasUser(account)
        placement?.remove(email, andAccount: isLast ? account : nil)
    }

    /// Creates an account with its first user once the password is hashed.
    mutating func create(
        _ creation: AccountCreation, for waiter: Waiter, in directory: inout Directory,
        into effects: inout Controller.Effects
    ) {
        if let refusal = refusal(of: creation) { return effects.refuse(refusal, to: waiter) }
        guard let placement, let account = directory.accountMade(creation.account) else {
            let full = "there are already \(Directory.accountsAtMost) accounts, the maximum"
            return effects.refuse(.notAllowed(full), to: waiter)
        }
        let change = UserChanges.Change(
            kind: .account(creation), password: creation.password, account: account, asker: placement.digest,
            waiter: waiter)
        enqueue(change, in: directory, into: &effects)
    }

    private func refusal(of creation: AccountCreation) -> Refusal? {
        guard creation.password.isLongEnough else { return .shortPassword }
        if let refusal = refusal(ofNew: creation.email) { return refusal }
        if hasUser(creation.account) { return .invalid("the account \(creation.account) already exists") }
        return placement?.refusal(ofAdding: creation.email, andAccount: creation.account)
    }

    /// Why no user here can have an email.
    func refusal(ofNew email: Email) -> Refusal? {
        if let problem = SafeText.problem(in: email.address) { return .invalid("email: \(problem)") }
        return users[email] == nil ? nil : .invalid("the email \(email) is already registered")
    }

    /// Why a user whose password is hashed cannot be added. During the hashing, and while other cells are
    /// asked, the operator's session may have ended, and the email, the account or the last free place may
    /// have been taken.
    private mutating func refusal(of change: UserChanges.Change, at now: WallTime) -> Refusal? {
        switch change.kind {
        case .account(let creation): return refusal(of: creation)
        case .add:
            guard let session = sessions.use(change.asker, at: now).map({ sessions[$0].session }) else {
                return .unauthenticated
            }
            return place(of: session.email).refusal ?? refusal(of: change.kind, by: session)
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
        guard let session = session(ofAdded: change) else { return }
        let addition = Addition(change: change, user: .init(session: session, passwordHash: hash))
        let isPending = placement?.additions.contains { other in
            other.email == addition.email || (addition.account != nil && other.account == addition.account)
        }
        if isPending == true { return effects.refuse(.busy(retryAfter: .seconds(1)), to: change.waiter) }
        if placement?.reserve(addition, at: now.monotonic) != true { complete(addition, into: &effects) }
    }

    /// Adds the users whose reservations were granted, and refuses those that were not.
    mutating func settleAdditions(at now: Moment, into effects: inout Controller.Effects) {
        for (addition, refusal) in placement?.takeSettled(at: now.monotonic) ?? [] {
            if let refusal = refusal ?? self.refusal(of: addition.change, at: now.wall) {
                placement?.remove(addition.email, andAccount: addition.account)
                effects.refuse(refusal, to: addition.change.waiter)
            } else {
                complete(addition, into: &effects)
            }
        }
    }

    private mutating func complete(_ addition: Addition, into effects: inout Controller.Effects) {
        let waiter = addition.change.waiter
        add(addition.user)
        effects.store(.access(.userAdded(addition.user)))
        switch addition.change.kind {
        case .add(let added): effects.reply(.userAdded(added), to: waiter)
        case .account(let creation): effects.reply(.created(creation.account), to: waiter)
        case .passwordChange, .reset: break
        }
    }

    /// The rights of an added user; nil for other changes, and if the session of the operator has ended.
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
