import FleetProtocol
import Stepping

/// What the engine reports to account services.
extension Controller {
    /// A device was removed, so its assignment to a site is removed too.
    mutating func removeAssignment(
        of device: DeviceID, in account: AccountIndex, into effects: inout Effects
    ) {
        services.sites.deviceIsRemoved(
            device, from: account, id: directory.accounts[Int(account)].id, into: &effects.changes)
    }

    /// A node is lost: the logbook of its account says so.
    mutating func reportLost(_ node: NodeRecord, at now: Moment, into effects: inout Effects) {
        let (access, book) = (access, book(of: node.account))
        services.logbook.nodeIsLost(
            node, in: book, hasUser: access.hasUser(book.id), at: now,
            into: &effects.changes)
    }

    /// The outcome of a request will never be known: the logbook says so.
    @inline(never)
    mutating func reportUndetermined(
        _ key: RequestKey, by actor: Email, for device: DeviceID, because reason: UndeterminedReason,
        at now: Moment, into effects: inout Effects
    ) {
        let isOwn = directory.owner(of: device) == key.account
        let (access, book) = (access, book(of: key.account))
        services.logbook.requestIsUndetermined(
            key.id, by: actor, for: device, named: isOwn ? directory.name(of: device) : "", because: reason,
            in: book, hasUser: access.hasUser(book.id), at: now,
            into: &effects.changes)
    }

    /// The logbook of an account.
    private func book(of account: AccountIndex) -> LogbookService.Book {
        LogbookService.Book(
            account: account, id: directory.accounts[Int(account)].id,
            share: share(of: account, in: .logbook))
    }
}
