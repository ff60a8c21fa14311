import FleetProtocol

/// Passes the engine's notices to account services.
extension Controller {
    mutating func deliverNotices(at now: Moment, into effects: inout Effects) {
        for notice in engine.drainNotices() {
            switch notice {
            case .nodeLost(let node):
                let (access, logbook) = (access, logbook(of: node.account))
                services.logbook.nodeIsLost(
                    node, in: logbook, hasUser: access.hasUser(logbook.id), at: now, into: &effects.changes)
            case .deviceRemoved(let device, let account):
                services.deviceIsRemoved(
                    device, from: account, id: engine.directory.accounts[Int(account)].id,
                    into: &effects.changes)
            case .undetermined(let end):
                let (access, id) = (access, engine.directory.accounts[Int(end.key.account)].id)
                let logbook = LogbookService.LogbookReference(
                    account: end.key.account, id: id, share: end.logbookShare)
                services.logbook.requestIsUndetermined(
                    end, in: logbook, hasUser: access.hasUser(id), at: now, into: &effects.changes)
            case .historyLost(let account, let lost):
                services.commandQueues.acceptLoss(
                    of: account, id: engine.directory.accounts[Int(account)].id, upTo: lost, at: now.wall,
                    into: &effects.changes)
            case .ended(let key, let outcome):
                services.commandQueues.ended(
                    key, outcome, accountID: engine.directory.accounts[Int(key.account)].id, at: now.wall,
                    into: &effects.changes)
            }
        }
    }

    private func logbook(of account: AccountIndex) -> LogbookService.LogbookReference {
        let directory = engine.directory
        return LogbookService.LogbookReference(
            account: account, id: directory.accounts[Int(account)].id,
            share: directory.share(of: account, in: .logbook))
    }
}
